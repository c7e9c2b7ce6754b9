import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Token } from '../../src/api/auth.ts'
import { candidatesFor } from '../../src/api/candidates.ts'
import { allowed } from '../../src/api/payments/allowed.ts'
import { createPayment } from '../../src/wire/payment.ts'
import type { ConnectionRow } from './support/rows.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

let accountUuid: string
beforeEach(async () => {
  accountUuid = await world.account()
})

type Question = { connectionUuid?: string | undefined; mode?: 'live' | 'test'; named?: string | undefined }

/** The uuids of the candidates, or the field that was refused. */
async function candidates({
  connectionUuid,
  mode = 'test',
  named,
}: Question = {}): Promise<string[] | string> {
  const token: Token = { uuid: randomUUID(), accountUuid, connectionUuid: connectionUuid ?? null, mode }
  return candidatesFor(world.orm.em.fork(), { token, providerUuid: named }).then(
    found => found.map(connection => connection.uuid),
    error => Object.keys(error.more.errors).join(),
  )
}

const connections = (...rows: ConnectionRow[]) =>
  Promise.all(rows.map(row => world.connection(accountUuid, row)))

test('nobody is asked for more than an amount can be, the fee included: the value says so', async () => {
  const [dear, free] = await connections({ chargeFee: { fixedCents: 1, hundredthsOfPercent: 0 } }, {})
  const asked = async (value: number) => {
    const token: Token = { uuid: randomUUID(), accountUuid, connectionUuid: null, mode: 'test' }
    const body = createPayment.parse({ value, type: 'PIX' })
    return allowed({ em: world.orm.em.fork(), token }, body).then(
      found => found.candidates,
      error => error.more.errors,
    )
  }
  await world.defaults(accountUuid, [dear!, free!])
  expect(await asked(9_999_999_999.98)).toEqual([dear, free])
  expect(await asked(9_999_999_999.99)).toEqual([free])
  await world.defaults(accountUuid, [dear!])
  expect(await asked(9_999_999_999.99)).toEqual({
    value: ['must not exceed 9999999999.99 together with its fee'],
  })
})

describe('the defaults', () => {
  test('are taken in their order', async () => {
    const [a, b, c] = await connections({}, {}, {})
    await world.defaults(accountUuid, [c!, a!, b!])
    expect(await candidates()).toEqual([c, a, b])
  })

  test.each<{ name: string; row: ConnectionRow }>([
    { name: 'not ACTIVE', row: { status: 'BLOCKED' } },
    { name: 'not public any more', row: { isPublic: false } },
    { name: 'no simulator', row: { isSimulated: false } },
  ])('leave out what is $name', async ({ row }) => {
    const [a, b] = await connections(row, {})
    await world.defaults(accountUuid, [a!, b!])
    expect(await candidates()).toEqual([b])
  })

  test('reach one provider account once: an orphan and a charge must not share a reference', async () => {
    const providerAccountUuid = await world.providerAccount()
    const [a, b, c] = await connections({ providerAccountUuid }, { providerAccountUuid }, {})
    await world.defaults(accountUuid, [a!, b!, c!])
    expect(await candidates()).toEqual([a, c])
  })

  test('a second connection to a provider account stands in where the first is not ACTIVE', async () => {
    const providerAccountUuid = await world.providerAccount()
    const [a, b] = await connections({ providerAccountUuid, status: 'INACTIVE' }, { providerAccountUuid })
    await world.defaults(accountUuid, [a!, b!])
    expect(await candidates()).toEqual([b])
  })

  test.each([{ status: 'INACTIVE' as const }, { status: undefined }])(
    'of which none can be used (one that is $status) are refused',
    async ({ status }) => {
      if (status) await world.defaults(accountUuid, await connections({ status }))
      expect(await candidates()).toBe('provider_uuid')
    },
  )
})

describe('a named provider', () => {
  test('is the only candidate, default or not', async () => {
    const [a, b] = await connections({}, {})
    await world.defaults(accountUuid, [a!])
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

  test('of another account, or of nobody, is refused', async () => {
    const foreign = await world.connection(await world.account())
    expect(await candidates({ named: foreign })).toBe('provider_uuid')
    expect(await candidates({ named: randomUUID() })).toBe('provider_uuid')
  })
})

describe('a bound token', () => {
  test('has its own provider, whatever is named and whatever the defaults are', async () => {
    const [a, b] = await connections({}, {})
    await world.defaults(accountUuid, [b!])
    expect(await candidates({ connectionUuid: a, named: b })).toEqual([a])
  })

  test('need not be bound to a public one', async () => {
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
    await world.defaults(accountUuid, [simulated!, real!])
    expect(await candidates({ mode: 'live' })).toEqual([real])
    expect(await candidates({ mode: 'live', named: simulated })).toBe('provider_uuid')
    expect(await candidates({ mode: 'live', connectionUuid: simulated })).toBe('provider_uuid')
  })
})
