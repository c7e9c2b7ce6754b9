import { expect, test } from '@jest/globals'
import { decideQrCodePayment, isTxidDropped, type QrCodeTerms } from '../../../src/domain/qr-codes/qr-code.ts'

/** What a PIX to a code becomes. A fixed code asks 10.00 and a fee of 0.10. */
const FIXED: QrCodeTerms = {
  status: 'ACTIVE',
  onPayment: 'KEEP',
  valueCents: 1_000,
  feeCents: 10,
  hasFixedSplits: false,
}
const OPEN: QrCodeTerms = { ...FIXED, valueCents: null, feeCents: 0 }
const ofItsValue = { kind: 'charge', valueCents: 1_000, feeCents: 10 }
const ofWhatWasPaid = { kind: 'charge', valueCents: 0, feeCents: 0 }
const unmatched = (reason: string) => ({ kind: 'unmatched', reason })

test.each<[title: string, code: QrCodeTerms, paidCents: number, result: object]>([
  ['the value of the code', FIXED, 1_010, ofItsValue],
  ['any value of an open code', OPEN, 1, ofWhatWasPaid],
  ['another value, kept', FIXED, 1_000, ofWhatWasPaid],
  ['another value, returned', { ...FIXED, onPayment: 'RETURN' }, 2_020, unmatched('wrong_amount')],
  ['another value with fixed shares', { ...FIXED, hasFixedSplits: true }, 1_009, unmatched('wrong_amount')],
  ['the value with fixed shares', { ...FIXED, hasFixedSplits: true }, 1_010, ofItsValue],
  ['a disabled code, kept', { ...FIXED, status: 'DISABLED' }, 1_010, ofItsValue],
  ['a disabled open code, kept', { ...OPEN, status: 'DISABLED' }, 77, ofWhatWasPaid],
  [
    'a disabled code, returned',
    { ...FIXED, status: 'DISABLED', onPayment: 'RETURN' },
    1_010,
    unmatched('code_disabled'),
  ],
  [
    'a disabled code and another value, returned',
    { ...FIXED, status: 'DISABLED', onPayment: 'RETURN' },
    5,
    unmatched('code_disabled'),
  ],
])('a PIX of %s', (_, code, paidCents, result) => {
  expect(decideQrCodePayment(code, paidCents)).toEqual(result)
})

test.each([
  [null, true],
  ['', true],
  ['***', true],
  ['E18236120202611301200s1a2b3c4d5e', true],
  ['BALCAO3', false],
  ['E18236120', false],
])('the txid %p is dropped: %p', (txid, isDropped) => {
  expect(isTxidDropped(txid)).toBe(isDropped)
})
