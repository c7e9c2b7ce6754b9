import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { validateCreateCharge } from '../../../src/api/operations/charges.ts'
import { findCandidates } from '../../../src/api/routing/provider-candidates.ts'
import { createChargeBody } from '../../../src/contract/charges/charge.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import type { ConnectionRow } from '../support/row-inserters.ts'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

let accountUuid: string
beforeEach(async () => {
  accountUuid = await fixture.insertAccount()
})

type Question = { connectionUuid?: string | undefined; mode?: 'live' | 'test'; named?: string | undefined }

/** The uuids of the candidates, or the field that was refused. */
async function candidates({
  connectionUuid,
  mode = 'test',
  named,
}: Question = {}): Promise<string[] | string> {
  const token: CallerToken = { uuid: randomUUID(), accountUuid, connectionUuid: connectionUuid ?? null, mode }
  return findCandidates(fixture.orm.em.fork(), { token, providerUuid: named }).then(
    found => found.map(connection => connection.uuid),
    error => Object.keys(error.details.errors).join(),
  )
}

const connections = (...rows: ConnectionRow[]) =>
  Promise.all(rows.map(row => fixture.insertConnection(accountUuid, row)))

test('an amount too large with its fee is refused on value, before any provider is called', async () => {
  const [dear, free] = await connections({ chargeFee: { fixedCents: 1, hundredthsOfPercent: 0 } }, {})
  const asked = async (value: number) => {
    const token: CallerToken = { uuid: randomUUID(), accountUuid, connectionUuid: null, mode: 'test' }
    const body = createChargeBody.parse({ value, type: 'PIX' })
    return validateCreateCharge({ em: fixture.orm.em.fork(), token }, body).then(
      found => found.candidates,
      error => error.details.errors,
    )
  }
  await fixture.replaceDefaultProviders(accountUuid, [dear!, free!])
  expect(await asked(9_999_999_999.98)).toEqual([dear, free])
  expect(await asked(9_999_999_999.99)).toEqual([free])
  await fixture.replaceDefaultProviders(accountUuid, [dear!])
  expect(await asked(9_999_999_999.99)).toEqual({
    value: ['must not exceed 9999999999.99 together with its fee'],
  })
})

describe('the defaults', () => {
  test('are candidates in their order', async () => {
    const [a, b, c] = await connections({}, {}, {})
    await fixture.replaceDefaultProviders(accountUuid, [c!, a!, b!])
    expect(await candidates()).toEqual([c, a, b])
  })

  test.each<{ name: string; row: ConnectionRow }>([
    { name: 'not ACTIVE', row: { status: 'BLOCKED' } },
    { name: 'not public any more', row: { isPublic: false } },
    { name: 'no simulator', row: { isSimulated: false } },
  ])('exclude what is $name', async ({ row }) => {
    const [a, b] = await connections(row, {})
    await fixture.replaceDefaultProviders(accountUuid, [a!, b!])
    expect(await candidates()).toEqual([b])
  })

  test('contain each provider account once: an orphan and a charge must not share a reference', async () => {
    const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
    const [a, b, c] = await connections({ providerAccountUuid }, { providerAccountUuid }, {})
    await fixture.replaceDefaultProviders(accountUuid, [a!, b!, c!])
    expect(await candidates()).toEqual([a, c])
  })

  test('use a second connection to a provider account where the first is not ACTIVE', async () => {
    const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid })
    const [a, b] = await connections({ providerAccountUuid, status: 'INACTIVE' }, { providerAccountUuid })
    await fixture.replaceDefaultProviders(accountUuid, [a!, b!])
    expect(await candidates()).toEqual([b])
  })

  test.each([{ status: 'INACTIVE' as const }, { status: undefined }])(
    'without a usable connection (one that is $status) are refused',
    async ({ status }) => {
      if (status) await fixture.replaceDefaultProviders(accountUuid, await connections({ status }))
      expect(await candidates()).toBe('provider_uuid')
    },
  )
})

describe('a named provider', () => {
  test('is the only candidate, default or not', async () => {
    const [a, b] = await connections({}, {})
    await fixture.replaceDefaultProviders(accountUuid, [a!])
    expect(await candidates({ named: b })).toEqual([b])
    expect(await candidates({ named: b!.toUpperCase() })).toEqual([b])
  })

  test.each<{ name: string; row: ConnectionRow }>([
    { name: 'not ACTIVE', row: { status: 'KYC_PENDING' } },
    { name: 'not public', row: { isPublic: false } },
    { name: 'no simulator', row: { isSimulated: false } },
  ])('that is $name is refused', async ({ row }) => {
    const [a] = await connections(row)
    expect(await candidates({ named: a })).toBe('provider_uuid')
  })

  test('of another account, or an unknown one, is refused', async () => {
    const foreign = await fixture.insertConnection(await fixture.insertAccount())
    expect(await candidates({ named: foreign })).toBe('provider_uuid')
    expect(await candidates({ named: randomUUID() })).toBe('provider_uuid')
  })
})

describe('a bound token', () => {
  test('uses its own provider, whatever is named and whatever the defaults are', async () => {
    const [a, b] = await connections({}, {})
    await fixture.replaceDefaultProviders(accountUuid, [b!])
    expect(await candidates({ connectionUuid: a, named: b })).toEqual([a])
  })

  test('may be bound to a provider that is not public', async () => {
    const [a] = await connections({ isPublic: false })
    expect(await candidates({ connectionUuid: a })).toEqual([a])
  })

  test('is refused where its provider is not ACTIVE', async () => {
    const [a] = await connections({ status: 'BLOCKED' })
    expect(await candidates({ connectionUuid: a })).toBe('provider_uuid')
  })
})

describe('a live token', () => {
  test('reaches real providers only', async () => {
    const [simulated, real] = await connections({ isSimulated: true }, { isSimulated: false })
    await fixture.replaceDefaultProviders(accountUuid, [simulated!, real!])
    expect(await candidates({ mode: 'live' })).toEqual([real])
    expect(await candidates({ mode: 'live', named: simulated })).toBe('provider_uuid')
    expect(await candidates({ mode: 'live', connectionUuid: simulated })).toBe('provider_uuid')
  })
})
