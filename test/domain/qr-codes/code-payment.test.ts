import { describe, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { PROVIDER_APIS } from '../../../src/domain/providers/provider.ts'
import {
  buildPaymentCode,
  findCodeObstacle,
  isPaidAsCode,
  isPayableByKey,
  listCodeChanges,
} from '../../../src/domain/qr-codes/code-payment.ts'
import type { CodeReading } from '../../../src/domain/qr-codes/code-reading.ts'

/** Paying a code that was read: what keeps it from being paid, what may not change, and which bank pays it. */

const READING: CodeReading = {
  kind: 'DYNAMIC',
  receiverName: 'Fornecedora SA',
  receiverDocument: '',
  pixKey: 'ana@example.com',
  txid: 'fc9a4366ff3d4964b5dbc6c91a8722d3',
  value: {
    originalCents: 1_250,
    dueNowCents: 1_250,
    fineCents: 0,
    interestCents: 0,
    discountCents: 0,
    abatementCents: 0,
    isOpen: false,
  },
  status: 'PAYABLE',
  expiresAt: null,
  signature: 'UNVERIFIED',
}

test.each<[Partial<CodeReading>, ReturnType<typeof findCodeObstacle>]>([
  [{}, null],
  [{ kind: 'DUE' }, null],
  [{ kind: 'STATIC', txid: null }, null],
  [{ status: 'PAID' }, 'PAID'],
  [{ status: 'REMOVED' }, 'REMOVED'],
  [{ status: 'EXPIRED' }, 'EXPIRED'],
  [{ status: 'TOO_EARLY' }, 'TOO_EARLY'],
  [{ kind: 'COMPOSITE' }, 'COMPOSITE'],
  [{ kind: 'RECURRENCE', pixKey: '' }, 'RECURRENCE'],
  [{ pixKey: 'nobody' }, 'KEY'],
])('of %j the obstacle is %s', (change, obstacle) => {
  expect(findCodeObstacle({ ...READING, ...change })).toBe(obstacle)
})

describe('changes between two readings', () => {
  const withValue = (change: Partial<CodeReading['value']>) => ({
    ...READING,
    value: { ...READING.value, ...change },
  })

  test.each<[string, CodeReading, string[]]>([
    ['nothing', { ...READING, receiverName: 'FORNECEDORA' }, []],
    ['the key', { ...READING, pixKey: 'eva@example.com' }, ['receiver']],
    ['the document', { ...READING, receiverDocument: '11444777000161' }, ['receiver']],
    ['the value', withValue({ dueNowCents: 1_251 }), ['value']],
    ['who chooses the value', withValue({ isOpen: true }), ['value']],
    ['the charge', { ...READING, txid: 'another' }, ['txid']],
  ])('of %s', (_, current, changes) => {
    expect(listCodeChanges(READING, current)).toEqual(changes)
  })

  test('a proposed value of an open code may change', () => {
    const shown = withValue({ isOpen: true, dueNowCents: 0 })
    expect(listCodeChanges(shown, withValue({ isOpen: true, dueNowCents: 5 }))).toEqual([])
  })
})

test('each bank pays the kinds of code that its documents name', () => {
  const kinds = {
    static: { ...READING, kind: 'STATIC' },
    dynamic: READING,
    due: { ...READING, kind: 'DUE' },
    open: { ...READING, value: { ...READING.value, isOpen: true } },
  } satisfies Record<string, CodeReading>
  const paid = Object.fromEntries(
    PROVIDER_APIS.map(api => [
      api,
      Object.entries(kinds).flatMap(([name, reading]) =>
        isPaidAsCode(PROVIDER_CAPABILITIES[api], buildPaymentCode('x', reading)) ? [name] : [],
      ),
    ]),
  )
  expect(paid).toEqual({
    efi: ['dynamic', 'due'],
    woovi: ['static', 'dynamic', 'due', 'open'],
    sicoob: [],
    inter: ['static', 'dynamic', 'due', 'open'],
    stark: [],
  })
})

test.each([
  ['QR_STATIC', null, true],
  ['QR_STATIC', 'MESA1', false],
  ['QR_DYNAMIC', null, false],
] as const)('a code %s with the txid %s may be paid by its key: %s', (initiation, txid, isPayable) => {
  expect(isPayableByKey({ initiation, txid })).toBe(isPayable)
})
