import { afterAll, beforeAll, expect, test } from '@jest/globals'
import * as starkbank from 'starkbank'
import { startOfficialSdks } from './support/official-sdks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'
import { generateStarkKeys, putStarkShop, STARK_KEYS, STARK_PROJECT } from './support/stark-client.ts'

/** Whole flows of Stark's official SDK, npm `starkbank`, against the simulator. */

let simulator: SimulatorFixture
let sdks: Awaited<ReturnType<typeof startOfficialSdks>>
const stark = (path: string, ...args: unknown[]) => sdks.call(`stark.${path}`, ...args)

const startSdk = (privateKey: string) =>
  startOfficialSdks({
    caFile: simulator.facts.ca_file,
    hosts: {
      'sandbox.api.starkbank.com': Number(new URL(simulator.facts.providers.PROVIDER_A.base_url).port),
    },
    stark: { environment: 'sandbox', id: STARK_PROJECT, privateKey },
  })

beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  sdks = await startSdk(STARK_KEYS.privateKey)
})
afterAll(async () => {
  await sdks?.close()
  await simulator.close()
})

const waitForInbox = (name: string, fits: (body: string) => boolean) =>
  pollUntil(
    () => simulator.control.listInbox(name),
    all => all.some(({ body }) => fits(body)),
  )

test('the key of another caller is refused', async () => {
  const wrong = await startSdk(generateStarkKeys().privateKey)
  await expect(wrong.call('stark.balance.get')).rejects.toContain('"code":"invalidCredentials"')
  await wrong.close()
})

test('a dynamic code is created, paid, found as a deposit and reversed twice', async () => {
  const [brcode] = await stark('dynamicBrcode.create', [
    { amount: 2500, expiration: 3600, tags: ['Order7'], displayDescription: 'Pedido 7' },
  ])
  expect(brcode).toMatchObject({ amount: 2500, expiration: 3600, tags: ['order7'] })
  expect(await stark('dynamicBrcode.get', brcode.uuid)).toEqual(brcode)
  expect(await stark('dynamicBrcode.query', { uuids: [brcode.uuid] })).toEqual([brcode])
  expect(await stark('deposit.query', { tags: [`dynamic-brcode/${brcode.uuid}`] })).toEqual([])

  await simulator.control.pay({ payload: brcode.id })
  const [deposit] = await stark('deposit.query', { tags: [`dynamic-brcode/${brcode.uuid}`] })
  expect(deposit).toMatchObject({
    amount: 2500,
    type: 'pix',
    status: 'created',
    name: 'Pagador de Teste',
    taxId: '123.456.789-09',
    tags: [`dynamic-brcode/${brcode.uuid}`, 'order7'],
  })
  expect(JSON.stringify(deposit)).not.toContain('endToEnd')
  expect(deposit.transactionIds).toHaveLength(1)

  const changed = await stark('deposit.update', deposit.id, {
    amount: 2000,
    reversalDisplayDescription: 'Parte',
  })
  expect(changed).toMatchObject({ amount: 2000, reversalDisplayDescription: 'Parte' })
  await pollUntil(
    () => stark('deposit.get', deposit.id),
    ({ transactionIds }) => transactionIds.length === 2,
  )
  expect((await stark('deposit.update', deposit.id, { amount: 0 })).amount).toBe(0)
  const reversed = await pollUntil(
    () => stark('deposit.get', deposit.id),
    ({ transactionIds }) => transactionIds.length === 3,
  )
  expect(reversed.amount).toBe(0)
  await expect(stark('deposit.update', deposit.id, { amount: 0 })).rejects.toContain('invalidAmount')

  const logs = await stark('deposit.log.query', { depositIds: [deposit.id], types: ['reversed'] })
  expect(logs.map((log: { deposit: { amount: number } }) => log.deposit.amount)).toEqual([0, 2000])
  expect((await stark('deposit.log.get', logs[0].id)).id).toBe(logs[0].id)
  const movements = await Promise.all(
    reversed.transactionIds.map((id: string) => stark('transaction.get', id)),
  )
  expect(movements.map(({ amount }) => amount)).toEqual([2500, -500, -2000])
})

test('a reversal that fails is a debit and its chargeback', async () => {
  const [brcode] = await stark('dynamicBrcode.create', [{ amount: 500 }])
  await simulator.control.pay({ payload: brcode.id })
  const [{ id }] = await stark('deposit.query', { tags: [`dynamic-brcode/${brcode.uuid}`] })
  await simulator.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'refund',
    fault: 'accepted_then_rejected',
  })
  expect((await stark('deposit.update', id, { amount: 100 })).amount).toBe(100)
  const { transactionIds } = await pollUntil(
    () => stark('deposit.get', id),
    ({ amount }) => amount === 500,
  )
  const movements = await Promise.all(transactionIds.map((one: string) => stark('transaction.get', one)))
  expect(movements.map(({ amount }) => amount)).toEqual([500, -400, 400])
  const [log] = await stark('deposit.log.query', { depositIds: [id], types: ['failed'] })
  expect(log).toMatchObject({ type: 'failed', deposit: { amount: 500 } })
})

test('an invoice is created, changed, paid, found with its end-to-end id and reversed in part', async () => {
  const [invoice] = await stark('invoice.create', [
    {
      amount: 4000,
      taxId: '123.456.789-09',
      name: 'Pagador de Teste',
      expiration: 3600,
      tags: ['Invoice9'],
      descriptions: [{ key: 'Produto', value: 'R$ 40,00' }],
    },
  ])
  expect(invoice).toMatchObject({ amount: 4000, status: 'created', tags: ['invoice9'], transactionIds: [] })
  expect((await stark('invoice.update', invoice.id, { amount: 5000 })).amount).toBe(5000)
  await expect(stark('invoice.payment', invoice.id)).rejects.toContain('errors')

  const { brcode } = await stark('invoice.get', invoice.id)
  const { end_to_end } = await simulator.control.pay({ payload: brcode })
  expect(await stark('invoice.get', invoice.id)).toMatchObject({ status: 'paid', amount: 5000 })
  expect(await stark('invoice.payment', invoice.id)).toMatchObject({
    amount: 5000,
    endToEndId: end_to_end,
    method: 'pix',
    taxId: '123.456.789-09',
  })
  expect(await stark('invoice.query', { status: 'paid', tags: ['INVOICE9'] })).toHaveLength(1)
  expect((await stark('invoice.update', invoice.id, { amount: 4500 })).amount).toBe(4500)
  await pollUntil(
    () => stark('invoice.get', invoice.id),
    ({ transactionIds }) => transactionIds.length === 2,
  )
  const logs = await stark('invoice.log.query', { invoiceIds: [invoice.id] })
  expect(logs.map(({ type }: { type: string }) => type)).toEqual([
    'reversed',
    'reversing',
    'credited',
    'paid',
    'created',
  ])
  await expect(stark('invoice.update', invoice.id, { status: 'canceled' })).rejects.toContain(
    'invalidInvoice',
  )

  const [other] = await stark('invoice.create', [{ amount: 1, taxId: '123.456.789-09', name: 'Outro' }])
  expect((await stark('invoice.update', other.id, { status: 'canceled' })).status).toBe('canceled')
  await expect(simulator.control.pay({ payload: other.brcode })).rejects.toThrow('removed')
})

test('an invoice with days, rates and discounts is created, found, moved and paid late', async () => {
  const dayIn = (days: number) =>
    new Date(Date.now() - 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)
  const [invoice] = await stark('invoice.create', [
    {
      amount: 10_000,
      taxId: '123.456.789-09',
      name: 'Pagador de Teste',
      due: dayIn(10),
      expiration: 30 * 86_400,
      fine: 2.5,
      interest: 3,
      discounts: [{ percentage: 10, due: dayIn(3) }],
      tags: ['Due1'],
    },
  ])
  expect(invoice).toMatchObject({ fine: 2.5, interest: 3, nominalAmount: 10_000, discountAmount: 1_000 })
  expect(await stark('invoice.get', invoice.id)).toMatchObject({ status: 'created', amount: 9_000 })
  const moved = await stark('invoice.update', invoice.id, { due: dayIn(12), expiration: 86_400 })
  expect(moved).toMatchObject({ nominalAmount: 10_000, expiration: 86_400 })
  await simulator.control.pay({ payload: invoice.brcode, on: dayIn(13) })
  expect(await stark('invoice.query', { tags: ['due1'] })).toMatchObject([
    { status: 'paid', amount: 10_260, fineAmount: 250, interestAmount: 10, discountAmount: 0 },
  ])
})

test('a key is looked up, verified and paid; an externalId is used once', async () => {
  const key = await stark('dictKey.get', 'maria@example.com')
  expect(key).toMatchObject({ id: 'maria@example.com', type: 'email', taxId: '529.982.247-25' })
  const [created] = await stark('verifiedAccount.create', [
    { keyId: key.id, taxId: key.taxId, tags: ['Order3'] },
  ])
  expect(created.status).toBe('processing')
  const account = await pollUntil(
    () => stark('verifiedAccount.get', created.id),
    ({ status }) => status !== 'processing',
  )
  expect(account.status).toBe('active')
  expect(await stark('verifiedAccount.query', { tags: ['order3'], status: 'active' })).toHaveLength(1)

  const order = { accountId: account.id, amount: 1500, externalId: 'order-3', tags: ['Order3'] }
  const [transfer] = await stark('verifiedTransfer.create', [order])
  expect(transfer).toMatchObject({ status: 'created', amount: 1500, externalId: 'order-3', tags: ['order3'] })
  const settled = await pollUntil(
    () => stark('transfer.get', transfer.id),
    ({ status }) => status !== 'processing',
  )
  expect(settled).toMatchObject({ status: 'success', amount: 1500, name: key.name, taxId: key.taxId })
  expect(settled.transactionIds).toHaveLength(1)
  expect(await stark('transfer.query', { tags: ['order3'] })).toEqual([settled])

  await expect(stark('verifiedTransfer.create', [order])).rejects.toContain('duplicatedExternalId')
  expect(await stark('transfer.query', { tags: ['order3'] })).toHaveLength(1)
})

test('a transfer fails, or is returned by its receiver, as its logs and transactions say', async () => {
  const send = async (keyId: string) => {
    const [created] = await stark('verifiedAccount.create', [{ keyId, taxId: '529.982.247-25' }])
    await pollUntil(
      () => stark('verifiedAccount.get', created.id),
      ({ status }) => status === 'active',
    )
    const [transfer] = await stark('verifiedTransfer.create', [
      { accountId: created.id, amount: 300, externalId: keyId.replace('@', '-') },
    ])
    return transfer.id
  }
  const failedId = await send('ac03-later@sim.trilho.test')
  const failed = await pollUntil(
    () => stark('transfer.get', failedId),
    ({ status }) => status === 'failed',
  )
  expect(failed.transactionIds).toEqual([])
  const [log] = await stark('transfer.log.query', { transferIds: [failedId], types: ['failed'] })
  expect(log.errors).toEqual(['AC03'])
  expect((await stark('transfer.log.get', log.id)).transfer.id).toBe(failedId)

  const returnedId = await send('returned@sim.trilho.test')
  const returned = await pollUntil(
    () => stark('transfer.get', returnedId),
    ({ transactionIds }) => transactionIds.length === 2,
  )
  expect(returned.status).toBe('success')
  expect(await stark('transaction.get', returned.transactionIds[1])).toMatchObject({
    amount: 300,
    source: `transfer/${returnedId}/chargeback`,
  })
})

test('a bank account is verified and paid, with and without verification', async () => {
  const bank = { taxId: '123.456.789-09', name: 'João', bankCode: '20018183', branchCode: '1357-9' }
  const [account] = await stark('verifiedAccount.create', [{ ...bank, number: '876543-2', type: 'payment' }])
  await pollUntil(
    () => stark('verifiedAccount.get', account.id),
    ({ status }) => status === 'active',
  )
  const [verified] = await stark('verifiedTransfer.create', [{ accountId: account.id, amount: 77 }])
  const [plain] = await stark('transfer.create', [{ ...bank, accountNumber: '876543-2', amount: 78 }])
  for (const { id } of [verified, plain])
    await pollUntil(
      () => stark('transfer.get', id),
      ({ status }) => status === 'success',
    )
  expect((await stark('verifiedAccount.cancel', account.id)).status).toBe('canceled')
  await expect(
    stark('verifiedTransfer.create', [{ accountId: account.id, amount: 77, externalId: 'again' }]),
  ).rejects.toContain('invalidAccountId')
})

/** The fields of the SDK's class of an object; a field of a class that no answer has would be undefined in it. */
function listClassFields(name: string): string[] {
  const classes = (starkbank as unknown as { default: Record<string, new (fields: object) => object> })
    .default
  return Object.keys(new classes[name]!({})).toSorted()
}

test('answers have the fields of the SDK’s classes, and no others', async () => {
  const [brcode] = await stark('dynamicBrcode.create', [{ amount: 10 }])
  await simulator.control.pay({ payload: brcode.id })
  const [deposit] = await stark('deposit.query', { tags: [`dynamic-brcode/${brcode.uuid}`] })
  const [invoice] = await stark('invoice.create', [{ amount: 10, taxId: '123.456.789-09', name: 'Um' }])
  const [account] = await stark('verifiedAccount.create', [
    { keyId: 'maria@example.com', taxId: '529.982.247-25' },
  ])
  await pollUntil(
    () => stark('verifiedAccount.get', account.id),
    ({ status }) => status === 'active',
  )
  const [verified] = await stark('verifiedTransfer.create', [{ accountId: account.id, amount: 79 }])
  const plain = await stark('transfer.get', verified.id)
  const [transaction] = await stark('transaction.query', { limit: 1 })
  const answers = {
    DynamicBrcode: brcode,
    Deposit: deposit,
    Invoice: invoice,
    VerifiedAccount: account,
    DictKey: await stark('dictKey.get', 'maria@example.com'),
    Transfer: plain,
    VerifiedTransfer: verified,
    Transaction: transaction,
  }
  const differences = Object.entries(answers).flatMap(([name, answer]) => {
    const [fields, answered] = [listClassFields(name), Object.keys(answer)]
    return [
      ...fields.filter(field => !answered.includes(field)).map(field => `${name}: -${field}`),
      ...answered.filter(field => !fields.includes(field)).map(field => `${name}: +${field}`),
    ]
  })
  expect(differences).toEqual([])
})

test('the balance, and the statement by pages', async () => {
  const balance = await stark('balance.get')
  expect(balance).toMatchObject({ currency: 'BRL' })
  const all = await stark('transaction.query', {})
  expect(all.length).toBeGreaterThan(4)
  // Newest first: the first has the balance of now.
  expect(all[0].balance).toBe(balance.amount)
  const [first, cursor] = await stark('transaction.page', { limit: 3 })
  const [second] = await stark('transaction.page', { limit: 3, cursor })
  expect([...first, ...second]).toEqual(all.slice(0, 6))
  expect((await stark('transaction.query', { after: '2099-01-01' })).length).toBe(0)
})

test('webhooks are created, listed, called with a signature that the SDK verifies, and deleted', async () => {
  const url = `${simulator.facts.inbox_url}/stark`
  const webhook = await stark('webhook.create', { url, subscriptions: ['deposit', 'invoice', 'transfer'] })
  expect(await stark('webhook.query', {})).toEqual([webhook])
  expect(await stark('webhook.get', webhook.id)).toEqual(webhook)

  const [brcode] = await stark('dynamicBrcode.create', [{ amount: 1000 }])
  await simulator.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'findPayment',
    fault: 'notification_forged',
  })
  await simulator.control.pay({ payload: brcode.id })
  const messages = await pollUntil(
    () => simulator.control.listInbox('stark'),
    all => all.length === 3,
  )
  const parse = ({ body, headers }: { body: string; headers: object }) =>
    stark('event.parse', {
      content: body,
      signature: (headers as Record<string, string>)['digital-signature'],
    })
  const parsed = await Promise.allSettled(messages.map(parse))
  const genuine = parsed.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  expect(genuine).toMatchObject([
    {
      subscription: 'deposit',
      log: {
        type: 'credited',
        errors: [],
        deposit: { amount: 1000, tags: [`dynamic-brcode/${brcode.uuid}`] },
      },
    },
  ])
  const forged = parsed.flatMap(one => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(forged).toHaveLength(2)
  for (const reason of forged) expect(reason).toContain('do not match Stark Bank public key')

  await stark('deposit.update', genuine[0].log.deposit.id, { amount: 400 })
  await waitForInbox('stark', body => body.includes('"type":"reversed"') && body.includes('"amount":400'))
  const [invoice] = await stark('invoice.create', [{ amount: 9, taxId: '123.456.789-09', name: 'Um' }])
  await simulator.control.pay({ payload: invoice.brcode })
  await waitForInbox('stark', body => body.includes('"subscription":"invoice"'))
  expect(await stark('webhook.delete', webhook.id)).toEqual(webhook)
  expect(await stark('webhook.query', {})).toEqual([])
})
