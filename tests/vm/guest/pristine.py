"""The machine as it was before benchd came."""

import machine_state

state = {}


def remember():
    state.update(machine_state.read())
