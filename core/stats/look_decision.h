#pragma once

namespace benchd {

/// The outcome of one look at a gate. Only DecideByWidth() returns kUndecided.
enum class LookDecision { kContinue, kPass, kRegression, kUndecided };

}  // namespace benchd
