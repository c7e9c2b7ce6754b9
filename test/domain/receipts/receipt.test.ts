import { expect, test } from '@jest/globals'
import {
  computeReceiptEnd,
  formatAuthentication,
  hasReceipt,
  parseAuthentication,
  shortenToInitials,
  writeReceiptFacts,
} from '../../../src/domain/receipts/receipt.ts'
import { createSealer } from '../../../src/security/sealing.ts'

const UUID = '0192b8a4-5a5e-7c11-9d2f-0a1b2c3d4e5f'
const SETTLED_AT = new Date('2026-11-30T15:04:05.678Z')
const FACTS = {
  uuid: UUID,
  accountUuid: '0192b8a4-0000-7c11-9d2f-0a1b2c3d4e5f',
  movementType: 'OUT' as const,
  valueCents: 2_590,
  settledAt: SETTLED_AT,
}
const keyOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`

test.each([
  ['settled money', { status: 'SETTLED', settledAt: SETTLED_AT }, true],
  ['money on its way', { status: 'PENDING', settledAt: null }, false],
  ['money that has not moved', { status: 'FAILED', settledAt: null }, false],
  ['no movement', null, false],
] as const)('a receipt of %s: %j', (_, movement, expected) => {
  expect(hasReceipt(movement)).toBe(expected)
})

test('a code names its movement and its key, and is that of its facts alone', () => {
  const sealer = createSealer(`${keyOf('k2', 2)},${keyOf('k1', 1)}`)
  const code = formatAuthentication(UUID, sealer.mac(writeReceiptFacts(FACTS)))
  expect(code).toMatch(/^0192b8a45a5e7c119d2f0a1b2c3d4e5f\.k2\.[\w-]{43}$/)
  const { movementUuid, mac } = parseAuthentication(code)!
  expect([movementUuid, sealer.isMacOf(mac, writeReceiptFacts(FACTS))]).toEqual([UUID, true])
  for (const change of [
    { uuid: FACTS.accountUuid },
    { accountUuid: UUID },
    { movementType: 'IN' as const },
    { valueCents: 2_591 },
    { settledAt: new Date(SETTLED_AT.getTime() + 1) },
  ])
    expect([change, sealer.isMacOf(mac, writeReceiptFacts({ ...FACTS, ...change }))]).toEqual([change, false])
  const [rotated, removed] = [`${keyOf('k3', 3)},${keyOf('k2', 2)}`, keyOf('k3', 3)].map(createSealer)
  expect(rotated!.isMacOf(mac, writeReceiptFacts(FACTS))).toBe(true)
  expect(removed!.isMacOf(mac, writeReceiptFacts(FACTS))).toBe(false)
})

const CODE = `${UUID.replaceAll('-', '')}.k1.${'a'.repeat(43)}`

test.each([
  '',
  UUID,
  CODE.toUpperCase(),
  ` ${CODE}`,
  `${CODE}a`,
  CODE.slice(0, -1),
  CODE.replace('.k1.', '.k1..'),
  CODE.replace('.k1.', '.K1.'),
  `${CODE.slice(1)}a`,
  `x${CODE.slice(1)}`,
])('%j is no authentication code', text => {
  expect(parseAuthentication(CODE)).not.toBeNull()
  expect(parseAuthentication(text)).toBeNull()
})

test.each([
  ['2026-11-30T15:04:05.678Z', '2031-11-30T15:04:05.678Z'],
  ['2028-02-29T12:00:00.000Z', '2033-03-01T12:00:00.000Z'],
])('a receipt of %s can be checked until %s', (settledAt, end) => {
  expect(computeReceiptEnd(new Date(settledAt)).toISOString()).toBe(end)
})

test.each([
  ['Maria da Silva', 'M. S.'],
  ['PADARIA TRILHO LTDA.', 'P. T. L.'],
  ['Ângela dos Santos e Souza', 'Â. S. S.'],
  ["joana d'arc", 'J. D. A.'],
  ['𝒳avier 3º', '𝒳. 3.'],
  ['', ''],
  ['<>', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(shortenToInitials(name)).toBe(initials)
})
