import { jest } from '@jest/globals'

/**
 * Sets the clock of this process, until `jest.useRealTimers()`; timers run as always. `isRunning`: it goes on from there, and stands still
 * otherwise. `jest.setSystemTime` moves it.
 */
export function fakeDate(now: Date, { isRunning = false } = {}): void {
  jest.useFakeTimers({
    now,
    advanceTimers: isRunning,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  })
}
