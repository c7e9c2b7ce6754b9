/** Preloaded by `--import`: the clock of JavaScript in this process is an hour ahead. */
const AHEAD_MS = 3_600_000
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + AHEAD_MS)
    else super(...parts)
  }
  static now() {
    return RealDate.now() + AHEAD_MS
  }
}
