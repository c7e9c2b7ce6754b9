import { describe, expect, test } from '@jest/globals'
import {
  findRecordedReturn,
  type PixReturnIds,
  type RecordedReturn,
} from '../../../src/domain/pix/pix-return.ts'

const named = (id: string | null, endToEnd: string | null = null, cents = 100) => ({ id, endToEnd, cents })
const found = (one: RecordedReturn, recorded: RecordedReturn[], listed: PixReturnIds[] = [one]) =>
  findRecordedReturn(one, recorded, listed)

describe('a return is already recorded', () => {
  test.each([
    ['by the same id', named('A'), named('A')],
    ['whose rail id comes later', named('A', 'D1'), named('A')],
    ['whose rail id is left out later', named('A'), named('A', 'D1')],
    ['by the rail id alone', named(null, 'D1'), named('A', 'D1')],
    ['whose id comes after its rail id', named('A', 'D1'), named('D1', 'D1')],
    ['of an earlier release, stored with the id as if it were the rail’s', named('A', 'D1'), named('A', 'A')],
    ['that is named by the other kind of id, of the same value', named(null, 'D1'), named('A')],
    ['that is named by the other kind of id, the other way round', named('A'), named('D1', 'D1')],
  ])('%s', (_, one, recorded) => expect(found(one, [recorded])).toBe(recorded))
})

describe('a return is new', () => {
  test.each([
    ['of another id', named('B'), [named('A')]],
    ['of another rail id', named(null, 'D2'), [named('D1', 'D1')]],
    ['of the other kind of id and another value', named(null, 'D1', 200), [named('A')]],
    ['where nothing is recorded', named('A'), []],
  ])('%s', (_, one, recorded) => expect(found(one, recorded)).toBeUndefined())

  test('with a similar one in the same list', () => {
    const [one, recorded] = [named(null, 'D1'), named('A')]
    expect(found(one, [recorded], [one, named('A')])).toBeUndefined()
  })
})
