import { describe, expect, test } from '@jest/globals'
import {
  isUuid,
  referenceOf,
  uuidFromReference as uuidOf,
  uuidFromHash as uuidOfHash,
} from '../../../src/domain/pix/identifiers.ts'

const UUID = '0197f6a1-5b3c-7def-8abc-0123456789ab'

describe('a reference is the uuid without hyphens', () => {
  test('and converts back to it', () => {
    expect(referenceOf(UUID)).toBe('0197f6a15b3c7def8abc0123456789ab')
    expect(uuidOf(referenceOf(UUID))).toBe(UUID)
  })
  test('it fits the txid of a charge and the id of a devolução', () => {
    expect(referenceOf(UUID)).toMatch(/^[a-zA-Z0-9]{26,35}$/)
  })
  test.each(['', UUID, UUID.toUpperCase().replaceAll('-', ''), `${referenceOf(UUID)}0`, 'pedido123'])(
    '%j is not one of our references',
    text => expect(uuidOf(text)).toBeNull(),
  )
  test.each(['', UUID.toUpperCase(), referenceOf(UUID), `${UUID}\n`, ` ${UUID}`, UUID.replace('a', 'g')])(
    '%j is not a uuid',
    text => {
      expect(isUuid(text)).toBe(false)
      expect(() => referenceOf(text)).toThrow(RangeError)
    },
  )
  test.each([UUID, '00000000-0000-0000-0000-000000000000'])('%s is a uuid', text =>
    expect(isUuid(text)).toBe(true),
  )
})

test('a hash yields one uuid, of version 8 and variant 10, whatever follows its first 16 bytes', () => {
  const hash = Uint8Array.from({ length: 32 }, (_, place) => 0xff - place)
  expect(uuidOfHash(hash)).toBe('fffefdfc-fbfa-89f8-b7f6-f5f4f3f2f1f0')
  expect(uuidOfHash(hash.subarray(0, 16))).toBe(uuidOfHash(hash))
  expect(isUuid(uuidOfHash(new Uint8Array(16)))).toBe(true)
})
