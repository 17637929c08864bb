"""The state of the machine before benchd was installed."""

import machine_state

state = {}


def remember():
    state.update(machine_state.read())


def left():
    """The values that differ now. systemd disables the controllers that a unit needed, and does so
    with a delay."""
    return machine_state.difference(
        state, machine_state.read(), [r"^/sys/fs/cgroup/cgroup\.subtree_control$"])
