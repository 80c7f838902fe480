/**
 * Preloaded into one node of the storm: shifts its wall clock by STORM_CLOCK_SHIFT_MS. Timers and the monotonic clock
 * stay right.
 */
const shiftMs = Number(process.env.STORM_CLOCK_SHIFT_MS ?? 0)
const TrueDate = Date

globalThis.Date = class extends TrueDate {
  /** @param {readonly unknown[]} args */
  constructor(...args) {
    if (args.length === 0) super(TrueDate.now() + shiftMs)
    else super(...args)
  }

  static now() {
    return TrueDate.now() + shiftMs
  }
}
