// Four performance states (3.0 to 1.2 GHz) for each CPU, set through an I/O port without a
// device. With them the kernel's acpi-cpufreq driver offers all its governors and limits.
// ACPI 6.4, 8.4.5: _PSS has MHz, mW, two latencies in us, control, status.
DefinitionBlock ("", "SSDT", 2, "BENCHD", "PSS", 1)
{
  External (\_SB.CPUS, DeviceObj)
  External (\_SB.CPUS.C000, ProcessorObj)
  External (\_SB.CPUS.C001, ProcessorObj)
  External (\_SB.CPUS.C002, ProcessorObj)
  External (\_SB.CPUS.C003, ProcessorObj)

  Scope (\_SB.CPUS)
  {
    Name (STAT, Package () {
      Package () {3000, 20000, 10, 10, 0x1E, 0x1E},
      Package () {2400, 15000, 10, 10, 0x18, 0x18},
      Package () {1800, 10000, 10, 10, 0x12, 0x12},
      Package () {1200, 5000, 10, 10, 0x0C, 0x0C}
    })
    Name (PORT, Package () {
      ResourceTemplate () {Register (SystemIO, 16, 0, 0x0B00)},
      ResourceTemplate () {Register (SystemIO, 16, 0, 0x0B00)}
    })
  }

  Scope (\_SB.CPUS.C000)
  {
    Method (_PPC) {Return (Zero)}
    Method (_PCT) {Return (PORT)}
    Method (_PSS) {Return (STAT)}
  }
  Scope (\_SB.CPUS.C001)
  {
    Method (_PPC) {Return (Zero)}
    Method (_PCT) {Return (PORT)}
    Method (_PSS) {Return (STAT)}
  }
  Scope (\_SB.CPUS.C002)
  {
    Method (_PPC) {Return (Zero)}
    Method (_PCT) {Return (PORT)}
    Method (_PSS) {Return (STAT)}
  }
  Scope (\_SB.CPUS.C003)
  {
    Method (_PPC) {Return (Zero)}
    Method (_PCT) {Return (PORT)}
    Method (_PSS) {Return (STAT)}
  }
}
