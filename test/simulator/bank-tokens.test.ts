import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { BankClient } from './support/bank-client.ts'
import { BANK_KEYS, BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import { openSimulatorFixture, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

/** Tokens that are bound to the client's certificate (RFC 8705), and their faults. */
describe.each([
  ['sicoob', 300, 401],
  ['inter', 3_600, 403],
] as const)('%s', (bank, ttlS, refusedStatus) => {
  const { provider, pix, credentials } = BANKS[bank]
  let simulator: SimulatorFixture
  let client: BankClient
  const callers: BankClient[] = []
  const createCaller = async (...[options]: [Parameters<typeof createBankCaller>[2]?]) => {
    const caller = await createBankCaller(simulator, bank, options)
    callers.push(caller)
    return caller
  }
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await putBankAccount(simulator, bank, { options: { enforces_pace: false } })
    client = await createCaller()
  })
  afterEach(() => simulator.control.clearFaults())
  afterAll(async () => {
    await Promise.all(callers.map(caller => caller.close()))
    await simulator.close()
  })

  const readable = `${pix}/webhook/${BANK_KEYS[bank]}`
  const call = async (caller = client) => (await caller.raw('GET', readable)).status

  test('a certificate and the client’s credentials are exchanged for a token, which names the certificate', async () => {
    const { status, body } = await client.authorize()
    expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', ttlS])
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString())
    expect(claims.cnf['x5t#S256']).toMatch(/^[\w-]{43}$/)
    expect(await call()).toBe(404)
  })

  test('a token ends after its time, and with the secret of its account', async () => {
    await client.authorize()
    simulator.advanceClock(ttlS + 1)
    expect(await call()).toBe(401)
    await client.authorize()
    await putBankAccount(simulator, bank, { client_secret: 'rotated', options: { enforces_pace: false } })
    expect(await call()).toBe(401)
    await putBankAccount(simulator, bank, { options: { enforces_pace: false } })
  })

  test('a token is refused with another certificate, with none, and at another provider', async () => {
    await client.authorize()
    const others = [await createCaller(), await createCaller({ hasCertificate: false })]
    for (const other of others) {
      other.useToken(client.token)
      expect(await call(other)).toBe(401)
    }
    const [header, payload] = client.token.split('.')
    client.useToken(`${header}.${payload}.forged`)
    expect(await call()).toBe(401)
    client.useToken('no token')
    expect(await call()).toBe(401)
    await client.authorize()
  })

  test('no token is issued without a certificate, to an unknown client, or to one of another provider API', async () => {
    const without = await createCaller({ hasCertificate: false })
    expect((await without.authorize()).status).toBe(refusedStatus)
    expect((await client.authorize({ ...credentials, client_id: 'nobody' })).status).toBe(refusedStatus)
    await simulator.control.putAccount('efi', { ...SHOP, keys: ['efi@trilho.test'], provider })
    const efi = { ...credentials, client_id: SHOP.client_id, client_secret: SHOP.client_secret }
    expect((await client.authorize(efi)).status).toBe(refusedStatus)
  })

  test('a request with another grant or an unknown scope is refused', async () => {
    expect((await client.authorize({ ...credentials, grant_type: 'password' })).status).toBe(400)
    expect((await client.authorize({ ...credentials, scope: 'cob.read everything' })).status).toBe(400)
  })

  test('a token with the scope of other calls is refused as documented', async () => {
    await client.authorize({ ...credentials, scope: 'cob.read' })
    expect((await client.get(readable)).status).toBe(403)
    expect(client.violations).toEqual([])
    await client.authorize()
  })

  test.each([
    ['http_429', 429],
    ['http_500', 500],
    ['refused', refusedStatus],
  ] as const)(
    'the fault %s of `authenticate` answers a request for a token with %i, and leaves calls alone',
    async (fault, status) => {
      await client.authorize()
      await simulator.control.addFault({ provider, fault, operation: 'authenticate' })
      expect(await call()).toBe(404)
      expect((await client.authorize()).status).toBe(status)
      expect((await client.authorize()).status).toBe(200)
    },
  )

  test('a request for a token is lost under a fault, or answered by undocumented words', async () => {
    await simulator.control.addFault({
      provider,
      fault: 'timeout_then_absent',
      operation: 'authenticate',
      delay_ms: 20,
    })
    await expect(client.authorize()).rejects.toThrow()
    await simulator.control.addFault({
      provider,
      fault: 'unlisted_refusal',
      operation: 'authenticate',
      status: 425,
      body: { codigo: 7 },
    })
    expect(await client.authorize()).toMatchObject({ status: 425, body: { codigo: 7 } })
  })

  test('a fault of any operation is left for calls', async () => {
    await simulator.control.addFault({ provider, fault: 'http_500' })
    expect((await client.authorize()).status).toBe(200)
    expect(await call()).toBe(500)
  })

  test('certificate_swapped answers a call as to a token of another certificate, and does nothing', async () => {
    await client.authorize()
    const other = await createCaller()
    other.useToken(client.token)
    const real = await other.raw('GET', readable)
    await simulator.control.addFault({ provider, fault: 'certificate_swapped', operation: 'issueCharge' })
    const cob = { calendario: { expiracao: 60 }, valor: { original: '1.00' }, chave: BANK_KEYS[bank] }
    const swapped = await client.raw('PUT', `${pix}/cob/${'s'.repeat(30)}`, cob)
    expect(swapped.status).toBe(real.status)
    expect((await client.raw('GET', `${pix}/cob/${'s'.repeat(30)}`)).status).toBe(404)
  })
})

describe("Inter's paces", () => {
  const { provider } = BANKS.inter
  let simulator: SimulatorFixture
  let inter: BankClient
  beforeAll(async () => {
    simulator = await openSimulatorFixture()
    await putBankAccount(simulator, 'inter', { balance: 10_000 })
    inter = await createBankCaller(simulator, 'inter')
  })
  afterAll(async () => {
    await inter.close()
    await simulator.close()
  })
  const order = { valor: 1, destinatario: { tipo: 'CHAVE', chave: 'maria@example.com' } }
  const statusesOf = async (times: number, act: () => Promise<{ status: number }>) => {
    const statuses = []
    for (let i = 0; i < times; i++) statuses.push((await act()).status)
    return statuses
  }

  test('five tokens a minute', () =>
    simulator.whileClockIsStopped(async () => {
      expect(await statusesOf(6, () => inter.authorize())).toEqual([200, 200, 200, 200, 200, 429])
    }))

  test('one payment a second, twenty look-ups and ten balances a minute, each counted apart', () =>
    simulator.whileClockIsStopped(async () => {
      const send = () => inter.raw('POST', '/banking/v2/pix', order)
      expect(await statusesOf(2, send)).toEqual([200, 429])
      const look = () => inter.raw('GET', '/banking/v2/pix/00000000-0000-4000-8000-000000000000')
      expect((await statusesOf(21, look)).filter(status => status !== 404)).toEqual([429])
      const balance = () => inter.raw('GET', '/banking/v2/saldo')
      expect((await statusesOf(11, balance)).filter(status => status !== 200)).toEqual([429])
      simulator.advanceClock(1)
      expect(await statusesOf(1, send)).toEqual([200])
    }))

  test('a refused call is not carried out, and the pace is another account’s own', async () => {
    const { balance, held } = await simulator.control.findAccount('inter')
    await simulator.control.putAccount('second', {
      ...SHOP,
      provider,
      dialect: 'inter',
      client_id: 'second',
      client_secret: 'inter-secret',
      keys: ['second@trilho.test'],
    })
    const second = await createBankCaller(simulator, 'inter', { clientId: 'second' })
    const spent = await simulator.whileClockIsStopped(async () => {
      await statusesOf(5, () => inter.raw('POST', '/banking/v2/pix', order))
      expect((await second.raw('POST', '/banking/v2/pix', order)).status).toBe(200)
      const after = await simulator.control.findAccount('inter')
      return balance + held - after.balance - after.held
    })
    expect(spent).toBeLessThanOrEqual(1)
    await second.close()
  })

  test('an account may be served without a pace', async () => {
    await putBankAccount(simulator, 'inter', { options: { enforces_pace: false } })
    expect(new Set(await statusesOf(8, () => inter.authorize()))).toEqual(new Set([200]))
    await putBankAccount(simulator, 'inter')
  })
})
