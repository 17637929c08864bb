// Collaborative processor performance control for each CPU, for the kernel's amd-pstate driver and
// its cpufreq/boost. The registers are plain memory without a device, one page that all CPUs share.
// The kernel must not use that page: memmap=64K$0x3f000000.
// ACPI 6.4, 8.4.7.1 has the order of the fields. Nominal: 3000 MHz at performance 120; boost: 200.
DefinitionBlock ("", "SSDT", 2, "BENCHD", "CPC", 1)
{
  External (\_SB.CPUS, DeviceObj)
  External (\_SB.CPUS.C000, ProcessorObj)
  External (\_SB.CPUS.C001, ProcessorObj)
  External (\_SB.CPUS.C002, ProcessorObj)
  External (\_SB.CPUS.C003, ProcessorObj)

  Scope (\_SB.CPUS)
  {
    Name (PERF, Package (23) {
      23, 3,            // number of fields, revision
      200, 120, 60, 30, // performance: highest, nominal, lowest nonlinear, lowest
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // guaranteed: none
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000000, 3)},  // desired
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000004, 3)},  // minimum
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000008, 3)},  // maximum
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // tolerance: none
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // time window: none
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // wraparound: none
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F00000C, 3)},  // reference counter
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000010, 3)},  // delivered counter
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000014, 3)},  // performance limited
      ResourceTemplate () {Register (SystemMemory, 32, 0, 0x3F000040, 3)},  // enable
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // autonomous: none
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},            // activity window: none
      ResourceTemplate () {Register (SystemMemory, 0, 0, 0, 0)},      // energy preference: none
      120, 1200, 3000   // reference, lowest and nominal frequency (MHz)
    })
  }

  Scope (\_SB.CPUS.C000) {Method (_CPC) {Return (PERF)}}
  Scope (\_SB.CPUS.C001) {Method (_CPC) {Return (PERF)}}
  Scope (\_SB.CPUS.C002) {Method (_CPC) {Return (PERF)}}
  Scope (\_SB.CPUS.C003) {Method (_CPC) {Return (PERF)}}
}
