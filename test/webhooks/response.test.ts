import { expect, test } from '@jest/globals'
import { parseRetryAfterMs } from '../../src/webhook-client/client.ts'

const now = Date.parse('2026-03-04T05:06:07Z')

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Wed, 04 Mar 2026 05:07:07 GMT', 60_000],
  ['Wednesday, 04-Mar-26 05:07:07 GMT', 60_000],
  ['Wed Mar  4 05:07:07 2026', 60_000],
  ['Wed, 04 Mar 2026 05:00:00 GMT', 0], // Passed already.
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['9999999999', undefined],
  ['2026-03-04', undefined],
  ['Wed, soon', undefined],
  ['', undefined],
  [undefined, undefined],
  [['7', '8'], 7_000],
])('Retry-After %j is %s ms', (header, ms) => {
  expect(parseRetryAfterMs(header, now)).toBe(ms)
})
