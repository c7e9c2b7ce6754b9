import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import { createSimulatedCredentials, readSimulatorLogin } from '../../packages/dev/demo/demo-logins.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import {
  createStarkClient,
  generateStarkKeys,
  putStarkShop,
  STARK_KEYS,
  STARK_PROJECT,
  type StarkClient,
} from './support/stark-client.ts'

/** Stark Bank's API, by a client written by hand: what it refuses, and what its official SDK does not show. */

let simulator: SimulatorFixture
let stark: StarkClient
let baseUrl: string
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  baseUrl = simulator.facts.providers.PROVIDER_A.base_url
  await putStarkShop(simulator.control)
  stark = createStarkClient(baseUrl, simulator.ca)
})
afterAll(async () => {
  await stark.close()
  await simulator.close()
})

const codeOf = ({ body }: { body: { errors: { code: string }[] } }) => body.errors[0]?.code
const setOptions = (options: object) => putStarkShop(simulator.control, { options })
const waitForActive = (id: string) =>
  pollUntil(
    () => stark.get(`/verified-account/${id}`),
    ({ body }) => body.account.status === 'active',
  )
const waitForTransfer = async (id: string, status: string) => {
  const { body } = await pollUntil(
    () => stark.get(`/transfer/${id}`),
    response => response.body.transfer.status === status,
  )
  return body.transfer
}
const verify = async (key?: string, taxId?: string) => {
  const { id } = await stark.verifyKey(key, taxId)
  await waitForActive(id)
  return id as string
}

describe('authentication', () => {
  const body = { brcodes: [{ amount: 1 }] }
  const post = (signature: Parameters<StarkClient['call']>[3]) =>
    stark.call('POST', '/dynamic-brcode', body, signature)
  const nowS = () => Math.round(Date.now() / 1000)

  test.each([
    ['another project', { accessId: 'project/1' }],
    ['another key', { privateKey: generateStarkKeys().privateKey }],
    ['a signature of another body', { signedBody: '{}' }],
  ])('%s is refused', async (_, signature) => {
    const response = await post(signature)
    expect([response.status, codeOf(response)]).toEqual([400, 'invalidCredentials'])
  })

  test('the time of a request may be five minutes from the bank’s, and not more', async () => {
    expect((await post({ time: nowS() - 290 })).status).toBe(200)
    expect((await post({ time: nowS() + 290 })).status).toBe(200)
    expect(codeOf(await post({ time: nowS() - 310 }))).toBe('invalidAccessTime')
    expect(codeOf(await post({ time: nowS() + 310 }))).toBe('invalidAccessTime')
    expect(codeOf(await post({ time: Number.NaN }))).toBe('invalidAccessTime')
  })

  test('a malformed signature, a body that is no JSON and a route that does not exist are refused', async () => {
    const headers = { 'access-id': `project/${STARK_PROJECT}`, 'access-time': String(nowS()) }
    const unsigned = await fetch(`${baseUrl}/v2/balance`, { headers, dispatcher: simulator.browser })
    expect(unsigned.status).toBe(400)
    expect(codeOf(await stark.call('POST', '/dynamic-brcode', '{'))).toBe('invalidJson')
    expect((await stark.get('/boleto')).status).toBe(404)
  })

  test('an account of another dialect has its own paths on the same port', async () => {
    const efi = { ...SHOP, keys: ['efi@trilho.test'], client_id: 'efi' }
    await simulator.control.putAccount('efi', efi)
    const wrong = await stark.call('GET', '/balance', undefined, { accessId: 'project/efi' })
    expect(codeOf(wrong)).toBe('invalidCredentials')
    // Efí's list of webhooks has the same path.
    const listed = await fetch(`${baseUrl}/v2/webhook`, { dispatcher: simulator.browser })
    expect(listed.status).toBe(401)
    expect((await stark.get('/webhook')).body).toEqual({ cursor: null, webhooks: [] })
  })

  test('a demo login signs with its private key, and the bank knows the public one', async () => {
    const { login, credentials } = await createSimulatedCredentials(simulator.control, 'stark', '12345678')
    expect(Object.keys(credentials)).toEqual(['access_id', 'private_key'])
    expect(JSON.stringify(login)).not.toContain('PRIVATE KEY')
    expect(readSimulatorLogin('stark', credentials)).toEqual(login)
    const keys = ['demo@trilho.test']
    await simulator.control.putAccount('demo', { ...SHOP, dialect: 'stark', ...login, keys })
    const { access_id: accessId, private_key: privateKey } = credentials
    const response = await stark.call('GET', '/balance', undefined, {
      accessId: accessId!,
      privateKey: privateKey!,
    })
    expect(response.body.balances).toHaveLength(1)
  })

  test('an organization signs with its workspace, and an account needs a public key of the right curve', async () => {
    const accessId = 'organization/1/workspace/2'
    const settings = { client_id: accessId, keys: ['organization@trilho.test'] }
    await simulator.control.putAccount('organization', {
      ...SHOP,
      dialect: 'stark',
      client_secret: STARK_KEYS.publicKey,
      ...settings,
    })
    expect((await stark.call('GET', '/balance', undefined, { accessId })).status).toBe(200)
    for (const client_secret of ['secret', STARK_KEYS.privateKey, '-----BEGIN PUBLIC KEY-----'])
      await expect(putStarkShop(simulator.control, { client_secret })).rejects.toMatchObject({ status: 422 })
  })
})

describe('charges', () => {
  test.each([
    ['no amount', { brcodes: [{}] }],
    ['a negative amount', { brcodes: [{ amount: -1 }] }],
    ['an unknown field', { brcodes: [{ amount: 1, value: 1 }] }],
    ['no code', { brcodes: [] }],
  ])('a dynamic code with %s is refused', async (_, body) => {
    const response = await stark.post('/dynamic-brcode', body)
    expect([response.status, codeOf(response)]).toEqual([400, 'invalidParameters'])
  })

  test('a code of amount 0 is paid with any amount, once, also on the payer’s page', async () => {
    const brcode = await stark.createBrcode(0)
    expect(brcode.amount).toBe(0)
    await expect(simulator.control.pay({ payload: brcode.id })).rejects.toThrow('its amount is open')
    const page = `${simulator.facts.pay_url}?payload=${encodeURIComponent(brcode.id)}`
    const form = await (await fetch(page, { dispatcher: simulator.browser })).text()
    expect(form).toContain('name="value"')
    const submit = async (value: string) => {
      const body = new URLSearchParams({ payload: brcode.id, value }).toString()
      const request = { method: 'POST', body, dispatcher: simulator.browser }
      return (await fetch(simulator.facts.pay_url, request)).status
    }
    expect(await submit('0')).toBe(409)
    expect(await submit('12,50')).toBe(409)
    expect(await submit('12.50')).toBe(200)
    expect((await stark.findDeposit(brcode)).amount).toBe(1250)
    await expect(simulator.control.pay({ payload: brcode.id, value: 1 })).rejects.toThrow('already paid')
  })

  test('the rule allowedTaxIds names the only payers', async () => {
    const rules = [{ key: 'allowedTaxIds', value: ['111.444.777-35'] }]
    const brcode = await stark.createBrcode(100, { rules })
    await expect(simulator.control.pay({ payload: brcode.id })).rejects.toThrow('another payer is named')
    const payer = { name: 'Maria', document: '11144477735' }
    await simulator.control.pay({ payload: brcode.id, payer })
    expect((await stark.findDeposit(brcode)).taxId).toBe('111.444.777-35')
  })

  test('codes are listed by tags in any case, by uuid and by day', async () => {
    const brcode = await stark.createBrcode(100, { tags: ['Only-This'] })
    const uuids = async (query: string) =>
      (await stark.get(`/dynamic-brcode?${query}`)).body.brcodes.map((one: { uuid: string }) => one.uuid)
    expect(await uuids('tags=only-this')).toEqual([brcode.uuid])
    expect(await uuids('tags=ONLY-THIS,other')).toEqual([])
    expect(await uuids(`uuids=${brcode.uuid}`)).toEqual([brcode.uuid])
    const today = new Date().toISOString().slice(0, 10)
    expect(await uuids(`after=${today}&before=${today}&tags=only-this`)).toEqual([brcode.uuid])
    expect(await uuids('after=2099-01-01')).toEqual([])
    expect(await uuids('before=2020-01-01T00:00:00Z')).toEqual([])
    expect((await stark.get('/dynamic-brcode?limit=101')).status).toBe(400)
    expect((await stark.get('/dynamic-brcode/nothing')).status).toBe(400)
  })

  test('an invoice is refused with a wrong payer, and found overdue and expired', async () => {
    const invoice = { amount: 100, taxId: '123.456.789-00', name: 'Pagador' }
    expect(codeOf(await stark.post('/invoice', { invoices: [invoice] }))).toBe('invalidParameters')
    const due = new Date(Date.now() - 60_000).toISOString()
    const overdue = await stark.createInvoice(100, { due, expiration: 3600 })
    const expired = await stark.createInvoice(100, { due, expiration: 1 })
    const statusOf = async (id: string) => (await stark.get(`/invoice/${id}`)).body.invoice.status
    expect([await statusOf(overdue.id), await statusOf(expired.id)]).toEqual(['overdue', 'expired'])
    expect(codeOf(await stark.get(`/invoice/${overdue.id}/payment`))).toBe('invalidInvoice')
    expect((await stark.get('/invoice/4000000000000999')).status).toBe(400)
    expect((await stark.get(`/invoice?ids=${expired.id}`)).body.invoices).toHaveLength(1)
    expect((await stark.patch(`/invoice/${overdue.id}`, { due: '2099-01-01' })).body.invoice.status).toBe(
      'created',
    )
    expect((await stark.patch(`/invoice/${overdue.id}`, { status: 'canceled' })).status).toBe(200)
    expect(codeOf(await stark.patch(`/invoice/${overdue.id}`, { amount: 1 }))).toBe('invalidInvoice')
  })

  test('an invoice without an amount shows what was paid; a second PIX of it is a deposit', async () => {
    const invoice = await stark.createInvoice(0)
    await simulator.control.pay({ payload: invoice.brcode, value: 7.5 })
    expect((await stark.get(`/invoice/${invoice.id}`)).body.invoice).toMatchObject({ amount: 750 })
    const deposits = async () => (await stark.get('/deposit?tags=invoice1')).body.deposits
    expect(await deposits()).toEqual([])
    await simulator.control.pay({ payload: invoice.brcode, value: 2, force: true })
    expect(await deposits()).toMatchObject([{ amount: 200 }])
  })
})

describe('deposits', () => {
  test('a PIX to the key is a deposit, with the txid of a static code as its tag', async () => {
    await simulator.control.deposit({ account: 'shop', value: 3, txid: 'Static1', message: 'oi' })
    const { deposits } = (await stark.get('/deposit?tags=static1')).body
    expect(deposits).toMatchObject([{ amount: 300, tags: ['static1'], displayDescription: 'oi' }])
    expect((await stark.get(`/deposit/${deposits[0].id}`)).body.deposit).toEqual(deposits[0])
    expect((await stark.get('/deposit?ids=5000000000000999')).body.deposits).toEqual([])
    expect((await stark.get('/deposit?status=other')).body.deposits).toEqual([])
  })

  test('an amount is absolute: it can be decreased only, and not below zero', async () => {
    const brcode = await stark.createBrcode(1000)
    await simulator.control.pay({ payload: brcode.id })
    const { id } = await stark.findDeposit(brcode)
    const change = (body: object) => stark.patch(`/deposit/${id}`, body)
    for (const amount of [1000, 1001]) expect(codeOf(await change({ amount }))).toBe('invalidAmount')
    for (const body of [{}, { amount: -1 }, { amount: 900.5 }, { value: 1 }])
      expect(codeOf(await change(body))).toBe('invalidParameters')
    expect((await change({ amount: 900 })).body.deposit.amount).toBe(900)
    // A repeat reverses nothing more.
    expect(codeOf(await change({ amount: 900 }))).toBe('invalidAmount')
    expect((await stark.patch('/deposit/5000000000000999', { amount: 0 })).status).toBe(400)
    await pollUntil(
      () => stark.findDeposit(brcode),
      ({ transactionIds }) => transactionIds.length === 2,
    )
    simulator.advanceClock(91 * 86_400)
    const time = Math.round(Date.now() / 1000) + 91 * 86_400
    const late = await stark.call('PATCH', `/deposit/${id}`, { amount: 0 }, { time })
    expect(codeOf(late)).toBe('invalidDeposit')
    simulator.advanceClock(-91 * 86_400)
  })

  test('a list is read by its cursor, newest or oldest first', async () => {
    const readAll = async (query: string) => {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await stark.get(`/deposit?limit=2&cursor=${cursor}${query}`)
        ids.push(...body.deposits.map((one: { id: string }) => one.id))
        cursor = body.cursor
      }
      return ids
    }
    const newest = await readAll('')
    expect(newest.length).toBeGreaterThan(3)
    expect(new Set(newest).size).toBe(newest.length)
    expect(await readAll('&sort=created')).toEqual(newest.toReversed())
    expect(codeOf(await stark.get('/deposit?cursor=nothing'))).toBe('invalidCursor')
  })
})

describe('keys and verified accounts', () => {
  test.each([
    ['12345', 'no key'],
    ['maria@', 'half an e-mail'],
  ])('the look-up of %s, %s, is refused', async key =>
    expect(codeOf(await stark.get(`/dict-key/${key}`))).toBe('invalidKeyId'),
  )

  test('a key is found with or without formatting, and the account’s own keys are listed', async () => {
    const found = async (key: string) => (await stark.get(`/dict-key/${key}`)).body.key
    expect(await found('529.982.247-25')).toMatchObject({ id: '52998224725', type: 'cpf' })
    expect(await found('11.222.333/0001-81')).toMatchObject({ type: 'cnpj', ownerType: 'legalPerson' })
    expect(await found('loja@trilho.test')).toMatchObject({ name: 'Loja São João', ispb: SHOP.ispb })
    expect((await stark.get('/dict-key')).body.keys).toMatchObject([
      { id: 'loja@trilho.test', status: 'registered' },
    ])
  })

  test('a document that is not the owner’s makes the account fail; a malformed order is refused', async () => {
    const { id, status } = await stark.verifyKey('52998224725', '123.456.789-09')
    expect(status).toBe('processing')
    await pollUntil(
      () => stark.get(`/verified-account/${id}`),
      ({ body }) => body.account.status === 'failed',
    )
    expect(codeOf(await stark.send(id))).toBe('invalidAccountId')
    const order = (one: object) => stark.post('/verified-account', { accounts: [one] })
    expect(codeOf(await order({ keyId: 'maria@', taxId: '52998224725' }))).toBe('invalidKeyId')
    for (const one of [
      { keyId: 'maria@example.com' },
      { keyId: 'maria@example.com', taxId: '1' },
      { taxId: '52998224725' },
      { taxId: '52998224725', keyId: 'a@b.com', bankCode: '20018183' },
    ])
      expect(codeOf(await order(one))).toBe('invalidParameters')
    expect((await stark.get('/verified-account/3000000000000999')).status).toBe(400)
    expect((await stark.delete('/verified-account/3000000000000999')).status).toBe(400)
  })
})

describe('transfers', () => {
  test.each([
    ['no amount', { amount: undefined }, 'invalidParameters'],
    ['amount 0', { amount: 0 }, 'invalidParameters'],
    ['an externalId that is not URL safe', { externalId: 'a b' }, 'invalidParameters'],
    ['another account', { accountId: '3000000000000999' }, 'invalidAccountId'],
    ['a time to come', { scheduled: '2099-01-01' }, 'invalidScheduled'],
  ])('an order with %s is refused, and moves nothing', async (_, change, code) => {
    const id = await verify()
    const before = (await stark.get('/balance')).body.balances[0].amount
    expect(codeOf(await stark.send(id, change))).toBe(code)
    expect((await stark.get('/balance')).body.balances[0].amount).toBe(before)
  })

  test('orders of one request are accepted together or not at all', async () => {
    const accountId = await verify()
    const order = { accountId, amount: 10, tags: ['batch'] }
    const transfers = [
      { ...order, externalId: 'batch-1' },
      { ...order, externalId: 'batch-1' },
    ]
    expect(codeOf(await stark.post('/verified-transfer', { transfers }))).toBe('duplicatedExternalId')
    expect((await stark.get('/transfer?tags=batch')).body.transfers).toEqual([])
    const { body } = await stark.post('/verified-transfer', {
      transfers: [transfers[0], { ...order, externalId: 'batch-2' }],
    })
    expect(body.transfers).toHaveLength(2)
    expect((await stark.get('/transfer?tags=BATCH')).body.transfers).toHaveLength(2)
  })

  test('without an externalId the same amount and receiver are refused on the same day; with one they are not', async () => {
    const id = await verify()
    expect((await stark.send(id, { amount: 4321 })).status).toBe(200)
    expect(codeOf(await stark.send(id, { amount: 4321 }))).toBe('duplicatedTransfer')
    expect((await stark.send(id, { amount: 4321, externalId: 'mine' })).status).toBe(200)
  })

  test('a transfer without balance is created, and fails', async () => {
    const accountId = await verify()
    const { body } = await stark.send(accountId, { amount: 99_999_999, externalId: 'rich' })
    expect(body.transfers[0]).toMatchObject({ status: 'created', transactionIds: [] })
    const { id } = body.transfers[0]
    await waitForTransfer(id, 'failed')
    const { logs } = (await stark.get(`/transfer/log?transferIds=${id}&types=failed`)).body
    expect(logs).toMatchObject([{ errors: ['invalidBalance'], transfer: { id, status: 'failed' } }])
    expect(codeOf(await stark.send(accountId, { amount: 1, externalId: 'rich' }))).toBe(
      'duplicatedExternalId',
    )
  })

  test('a magic recipient refuses, and the account itself is no receiver', async () => {
    for (const [key, reason, taxId] of [
      ['ac03@sim.trilho.test', 'AC03', '529.982.247-25'],
      ['loja@trilho.test', 'invalidReceiver', '11.222.333/0001-81'],
    ] as const) {
      const { body } = await stark.send(await verify(key, taxId), { externalId: reason })
      const { id } = await waitForTransfer(body.transfers[0].id, 'failed')
      const [log] = (await stark.get(`/transfer/log?transferIds=${id}`)).body.logs
      expect(log.errors).toEqual([reason])
    }
  })

  test('a look-up of a key gives an account to transfer to', async () => {
    const { key } = (await stark.get('/dict-key/returned@sim.trilho.test')).body
    const order = { amount: 12, name: key.name, taxId: key.taxId, bankCode: key.ispb }
    const { body } = await stark.post('/transfer', {
      transfers: [{ ...order, branchCode: key.branchCode, accountNumber: key.accountNumber }],
    })
    await pollUntil(
      () => stark.get(`/transfer/${body.transfers[0].id}`),
      response => response.body.transfer.transactionIds.length === 2,
    )
    expect(codeOf(await stark.post('/transfer', { transfers: [order] }))).toBe('invalidParameters')
    expect(codeOf(await stark.delete(`/transfer/${body.transfers[0].id}`))).toBe('invalidTransfer')
    expect((await stark.get('/transfer/6000000000000999')).status).toBe(400)
  })

  test('transfers are listed by document, transaction, time of change, and with a part returned', async () => {
    const { body } = await stark.send(await verify('joao@example.com', '111.444.777-35'), {
      externalId: 'listed',
    })
    const [transactionId] = (await waitForTransfer(body.transfers[0].id, 'success')).transactionIds
    const ids = async (query: string) =>
      (await stark.get(`/transfer?${query}`)).body.transfers.map((one: { id: string }) => one.id)
    expect(await ids('taxId=111.444.777-35')).toEqual([body.transfers[0].id])
    expect(await ids(`transactionIds=${transactionId}`)).toEqual([body.transfers[0].id])
    expect((await ids('sort=-updated&status=success')).length).toBeGreaterThan(1)
    const sent = (await simulator.control.listStatement('PROVIDER_A')).find(({ id }) => id === 'listed')!
    await simulator.control.returnTransfer({ end_to_end: sent.end_to_end!, value: 1 })
    const found = (await stark.get(`/transfer/${body.transfers[0].id}`)).body.transfer
    expect(found.transactionIds).toHaveLength(2)
    const { transaction } = (await stark.get(`/transaction/${found.transactionIds[1]}`)).body
    expect(transaction).toMatchObject({ amount: 100, source: `transfer/${found.id}/chargeback` })
    const [shown, returned] = (await simulator.control.listStatement('PROVIDER_A')).slice(-2)
    expect(shown).toMatchObject({ shown_id: `transfer/${found.id}`, shown_original_id: null })
    expect(returned).toMatchObject({
      shown_id: `transaction/${transaction.id}`,
      shown_original_id: `transfer/${found.id}`,
    })
  })
})

describe('the ledger', () => {
  test('movements without the API have an origin too', async () => {
    const move = (kind: 'tariff' | 'credit' | 'send' | 'withdrawal') =>
      simulator.control.moveMoney({ provider: 'PROVIDER_A', account: 'shop', kind, value: 1 })
    for (const kind of ['tariff', 'credit', 'send', 'withdrawal'] as const) await move(kind)
    const listSources = async (): Promise<string[]> => {
      const { transactions } = (await stark.get('/transaction?limit=4')).body
      return transactions.map(({ source }: { source: string }) => source)
    }
    const sources = await pollUntil(listSources, all => all.some(source => source.startsWith('transfer/')))
    expect(sources.filter(source => source === 'self')).toHaveLength(2)
    expect(sources.some(source => source.startsWith('fee/'))).toBe(true)
    const sent = sources.find(source => source.startsWith('transfer/'))!
    const id = sent.split('/')[1]
    expect((await stark.get(`/transfer/${id}`)).body.transfer).toMatchObject({ status: 'success' })
    expect((await stark.get(`/transaction?externalIds=${sent}`)).body.transactions).toHaveLength(1)
    expect((await stark.get('/transaction/7000000000099999')).status).toBe(400)
  })

  test('the workspace of the account, which the balance names', async () => {
    const [balance] = (await stark.get('/balance')).body.balances
    const { workspaces } = (await stark.get('/workspace')).body
    expect(workspaces).toMatchObject([{ id: balance.id, name: 'Loja São João' }])
    expect((await stark.get(`/workspace/${balance.id}`)).body.workspace).toEqual(workspaces[0])
    expect((await stark.get('/workspace/1')).status).toBe(400)
  })

  test('a webhook with a wrong URL or subscription is refused', async () => {
    const create = (body: object) => stark.post('/webhook', body)
    expect(codeOf(await create({ url: 'http://example.com', subscriptions: ['deposit'] }))).toBe('invalidUrl')
    for (const subscriptions of [[], ['pix']])
      expect(codeOf(await create({ url: 'https://example.com', subscriptions }))).toBe('invalidParameters')
    expect((await stark.delete('/webhook/8000000000000999')).status).toBe(400)
  })
})

describe('options of an account', () => {
  test('where the API has no verified transfers to read, they are found as transfers', async () => {
    const { body } = await stark.send(await verify(), { externalId: 'read', tags: ['read'] })
    const { id } = body.transfers[0]
    const { transfer } = (await stark.get(`/verified-transfer/${id}`)).body
    expect(transfer).toMatchObject({ id, externalId: 'read' })
    expect((await stark.get('/verified-transfer?tags=read')).body.transfers).toHaveLength(1)
    await setOptions({ verified_transfer_reads: 'absent' })
    expect((await stark.get(`/verified-transfer/${id}`)).status).toBe(404)
    expect((await stark.get('/verified-transfer?tags=read')).status).toBe(404)
    expect((await stark.get('/transfer?tags=read')).body.transfers).toHaveLength(1)
  })

  test('a masked document, and the end-to-end id among the tags', async () => {
    await setOptions({ masked_tax_ids: true, end_to_end_tags: true })
    expect((await stark.get('/dict-key/maria@example.com')).body.key.taxId).toBe('***.982.247-**')
    const brcode = await stark.createBrcode(100)
    const { end_to_end } = await simulator.control.pay({ payload: brcode.id })
    expect((await stark.findDeposit(brcode)).tags[0]).toBe(end_to_end.toLowerCase())
  })

  test('the deposit of an invoice is listed before the invoice is paid', async () => {
    await setOptions({ invoice_deposits: true })
    const invoice = await stark.createInvoice(100, { tags: ['early'] })
    await simulator.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'findCharge',
      fault: 'books_lag',
      delay_ms: 600_000,
    })
    await simulator.control.pay({ payload: invoice.brcode })
    expect((await stark.get('/deposit?tags=early')).body.deposits).toHaveLength(1)
    expect((await stark.get(`/invoice/${invoice.id}`)).body.invoice.status).toBe('created')
    expect((await stark.get(`/invoice/${invoice.id}/payment`)).status).toBe(400)
    expect(codeOf(await stark.patch(`/invoice/${invoice.id}`, { status: 'canceled' }))).toBe('invalidInvoice')
    await setOptions({})
  })
})
