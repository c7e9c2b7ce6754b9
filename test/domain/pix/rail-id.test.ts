import { expect, test } from '@jest/globals'
import { showEndToEndId, timeOfRailId } from '../../../src/domain/pix/identifiers.ts'

test.each([
  ['E00000000202611221200abcdefghij0', '2026-11-22T12:00:00.000Z'],
  ['D1234ABCD202602280059ABCDEFGHIJK', '2026-02-28T00:59:00.000Z'],
  ['E00000000202602301200abcdefghij0', null],
  ['E00000000202611222400abcdefghij0', null],
  ['E00000000202611221200abcdefghij', null],
  ['tarifa-1', null],
])('the time in %s is %s', (id, time) => {
  const found = timeOfRailId(id)
  expect(found === null ? null : new Date(found).toISOString()).toBe(time)
})

test.each([
  ['E12345678202601101159abcdefghijk', 'E12345678202601101159abcdefghijk'],
  ['D54811417202601101201abcdefghijk', 'D54811417202601101201abcdefghijk'],
  ['deposit/5656565656565656', ''],
  ['transaction/5656565656565656', ''],
  ['invoice/5656565656565656/E12345678202601101159abcdefghijk', 'E12345678202601101159abcdefghijk'],
  ['invoice/5656565656565656/E1234567820260110', ''],
  ['', ''],
  [null, ''],
  [undefined, ''],
])('%s is shown to merchants as %s', (id, shown) => {
  expect(showEndToEndId(id)).toBe(shown)
})
