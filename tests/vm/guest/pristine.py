"""The state of the machine before benchd was installed."""

import machine_state

state = {}


def remember():
    state.update(machine_state.read())
