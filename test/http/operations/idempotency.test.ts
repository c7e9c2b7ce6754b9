import { describe, expect, test } from '@jest/globals'
import {
  deriveOperationUuid,
  fingerprintRequest,
  IDEMPOTENCY_KEY_PATTERN,
  requireSameRequest,
} from '../../../src/api/operations/idempotency.ts'

const by = { accountUuid: 'a', mode: 'live' } as const
const operation = { owner: by, method: 'post', path: '/api/v1/payments', key: 'k' }

describe('the uuid of an operation', () => {
  test('is a UUID of version 8, the same for the same key', () => {
    expect(deriveOperationUuid(operation)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(deriveOperationUuid({ ...operation, method: 'POST' })).toBe(deriveOperationUuid(operation))
  })

  test('never changes between versions, because rows are found by it', () => {
    expect(deriveOperationUuid(operation)).toBe('93e3f207-4dc0-80a0-bb9b-ee2bd950f730')
  })

  test.each([
    { other: 'account', change: { owner: { ...by, accountUuid: 'b' } } },
    { other: 'mode', change: { owner: { ...by, mode: 'test' as const } } },
    { other: 'method', change: { method: 'put' } },
    { other: 'path', change: { path: '/api/v1/payments/x/refund' } },
    { other: 'key', change: { key: 'K' } },
    { other: 'cut between its parts', change: { owner: { ...by, accountUuid: 'apost' }, method: '' } },
  ])('differs for another $other', ({ change }) => {
    expect(deriveOperationUuid({ ...operation, ...change })).not.toBe(deriveOperationUuid(operation))
  })

  test('is random without a key', () => {
    const keyless = { ...operation, key: null }
    expect(deriveOperationUuid(keyless)).not.toBe(deriveOperationUuid(keyless))
  })
})

describe('the fingerprint', () => {
  const body = { value: 100, splits: [{ type: 'FIXED', value: 1 }], type: 'PIX' }
  const original = fingerprintRequest({ body, connectionUuid: null })

  test.each([
    { name: 'the order of fields', body: { type: 'PIX', splits: [{ value: 1, type: 'FIXED' }], value: 100 } },
    { name: 'fields that are undefined', body: { ...body, external_ref: undefined } },
  ])('ignores $name', ({ body }) => {
    expect(fingerprintRequest({ body, connectionUuid: null })).toBe(original)
  })

  test.each([
    { name: 'a value', body: { ...body, value: 101 }, connectionUuid: null },
    { name: 'a further field', body: { ...body, external_ref: '' }, connectionUuid: null },
    {
      name: 'a nested value',
      body: { ...body, splits: [{ type: 'FIXED', value: 2 }] },
      connectionUuid: null,
    },
    { name: 'the order of a list', body: { ...body, splits: [1, 2] }, connectionUuid: null },
    { name: 'the binding of the token', body, connectionUuid: 'c' },
  ])('includes $name', ({ body, connectionUuid }) => {
    expect(fingerprintRequest({ body, connectionUuid })).not.toBe(original)
  })

  test('decides whether a row is the same request', () => {
    expect(() => requireSameRequest({ fingerprint: original }, original)).not.toThrow()
    expect(() => requireSameRequest({ fingerprint: 'other' }, original)).toThrow(
      expect.objectContaining({ code: 'idempotency_key_reused' }),
    )
  })
})

describe('an Idempotency-Key', () => {
  test.each([
    { key: 'a', fits: true },
    { key: 'pedido 42/2026', fits: true },
    { key: '~'.repeat(255), fits: true },
    { key: '', fits: false },
    { key: 'a'.repeat(256), fits: false },
    { key: 'pedidó', fits: false },
    { key: 'a\tb', fits: false },
    { key: 'a\u007f', fits: false },
  ])('$key fits: $fits', ({ key, fits }) => {
    expect(IDEMPOTENCY_KEY_PATTERN.test(key)).toBe(fits)
  })
})
