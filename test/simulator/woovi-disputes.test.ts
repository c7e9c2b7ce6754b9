import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { FormData, fetch } from 'undici'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import {
  createWooviClient,
  readWooviNotifications,
  type WooviClient,
  wooviViolations,
} from './support/woovi-client.ts'

const settings = { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi' as const, notification_secret: 'a-key' }
let simulator: SimulatorFixture
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await simulator.control.putAccount('shop', settings)
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
  for (const outcome of ['CREATED', 'ACCEPTED', 'REJECTED', 'CANCELED'])
    await woovi.createWebhook(`OPENPIX:DISPUTE_${outcome}`, `${simulator.facts.inbox_url}/disputes`)
})
afterAll(async () => {
  await woovi.close()
  await simulator.close()
  expect(wooviViolations).toEqual([])
})

const disputed = async (value: number, more: object = {}) => {
  const { end_to_end: endToEnd } = await simulator.control.deposit({ account: 'shop', value })
  return {
    endToEnd,
    ...(await simulator.control.openDispute({ end_to_end: endToEnd, type: 'WRONG_TRANSACTION', ...more })),
  }
}
const waitForNotification = async (event: string, id: string) => {
  const fits = ({ body, notification }: { body: string; notification: { event: string } }) =>
    notification.event === event && body.includes(id)
  const all = await pollUntil(
    () => readWooviNotifications(simulator.control, 'disputes'),
    messages => messages.some(fits),
  )
  return all.find(fits)!
}
const upload = async (bytes: string, { type = 'application/pdf', correlationID = '' } = {}) => {
  const form = new FormData()
  form.set('purpose', 'DISPUTE_EVIDENCE')
  if (correlationID) form.set('correlationID', correlationID)
  form.set('file', new Blob([bytes], { type }), 'prova.pdf')
  const answer = await fetch(`${simulator.facts.providers.PROVIDER_A.base_url}/api/v1/files`, {
    method: 'POST',
    body: form,
    headers: { authorization: Buffer.from(`${SHOP.client_id}:${SHOP.client_secret}`).toString('base64') },
    dispatcher: simulator.browser,
  })
  // biome-ignore lint/suspicious/noExplicitAny: looked at as it comes.
  return { status: answer.status, body: (await answer.json()) as any }
}

test('a dispute is notified, found by its PIX, and has a funds recovery behind it', async () => {
  const { id, endToEnd } = await disputed(10, { value: 6 })
  const { headers, body } = await waitForNotification('OPENPIX:DISPUTE_CREATED', id)
  expect(headers['x-openpix-signature']).toBe(createHmac('sha1', 'a-key').update(body).digest('base64'))
  expect(JSON.parse(body).dispute).toMatchObject({ id, status: 'OPENED', endToEndId: endToEnd, value: 600 })

  const dispute = { type: 'MED', status: 'CREATED', endToEndId: endToEnd, id }
  expect((await woovi.get(`/dispute/${endToEnd}`)).body).toEqual({ dispute })
  expect((await woovi.get(`/dispute/${id}`)).body).toEqual({ error: 'Dispute not found' })
  expect((await woovi.get('/dispute')).body.disputes).toMatchObject([{ id, value: 600 }])
  expect((await woovi.get(`/funds-recovery/${endToEnd}`)).body).toMatchObject({
    dictId: id,
    direction: 'RECEIVED',
    situationType: 'ACCOUNT_TAKEOVER',
    status: 'AWAITING_ANALYSIS',
  })
  expect((await woovi.get(`/funds-recovery/${id}/disputes`)).body).toMatchObject([
    { id, sentOrReceived: 'RECEIVED', value: 600 },
  ])
  expect((await woovi.get(`/funds-recovery/${id}/refund-solicitations`)).body).toEqual([])
  expect((await woovi.get('/account/')).body.accounts[0].balance).toMatchObject({ blocked: 600 })
  expect((await woovi.get('/dispute/none')).body).toEqual({ error: 'Dispute not found' })
  expect((await woovi.get('/funds-recovery/none')).status).toBe(404)

  await simulator.control.decideDispute(id, 'agreed')
  await waitForNotification('OPENPIX:DISPUTE_ACCEPTED', id)
  expect((await woovi.get(`/dispute/${endToEnd}`)).body.dispute.status).toBe('ACCEPTED')
  const { body: solicitations } = await pollUntil(
    () => woovi.get(`/funds-recovery/${endToEnd}/refund-solicitations`),
    response => response.body[0].status === 'CLOSED',
  )
  expect(solicitations).toMatchObject([
    {
      refundAmount: 600,
      EffectiveRefundedAmount: 600,
      analysisResult: 'TOTALLY_ACCEPTED',
      refundTransactionId: expect.stringMatching(/^D/),
    },
  ])
})

test('a recovery of a sent PIX is requested once, followed and cancelled, as the OpenAPI document has it', async () => {
  await simulator.control.deposit({ account: 'shop', value: 20 })
  await woovi.orderPayment('asked-back', 'maria@example.com', { value: 1_500, autoApprove: true })
  const { body: payment } = await pollUntil(
    () => woovi.get('/payment/asked-back'),
    response => response.body.payment.status === 'CONFIRMED',
  )
  const transactionEndToEndId = payment.transaction.endToEndId
  const request = { transactionEndToEndId, situationType: 'SCAM', details: 'Loja falsa.' }
  const created = await woovi.post('/funds-recovery', request)
  expect([created.status, created.body]).toMatchObject([
    201,
    {
      rootTransactionId: transactionEndToEndId,
      status: 'CREATED',
      direction: 'SENT',
      reportDetails: 'Loja falsa.',
    },
  ])
  expect(await woovi.post('/funds-recovery', request)).toMatchObject({
    status: 422,
    body: { error: `FundsRecovery already exists for transaction ${transactionEndToEndId}` },
  })
  const { dictId } = created.body
  expect((await woovi.get(`/funds-recovery/${transactionEndToEndId}`)).body).toMatchObject({
    dictId,
    status: 'AWAITING_ANALYSIS',
    events: [{ event: 'TRACKED' }, { event: 'AWAITING_ANALYSIS' }],
  })
  expect((await woovi.post(`/funds-recovery/${dictId}/cancel`, {})).body).toMatchObject({
    status: 'CANCELLED',
  })
  expect(await woovi.post(`/funds-recovery/${dictId}/cancel`, {})).toMatchObject({
    status: 422,
    body: { error: 'Cannot cancel: FundsRecovery is already in terminal status CANCELLED' },
  })
  const unknown = { ...request, transactionEndToEndId: 'E-unknown' }
  expect((await woovi.post('/funds-recovery', unknown)).status).toBe(404)
})

test.each([
  ['disagreed', 'OPENPIX:DISPUTE_REJECTED', 'REJECTED'],
  ['cancelled', 'OPENPIX:DISPUTE_CANCELED', 'CANCELED'],
] as const)('%s is reported as %s', async (decision, event, status) => {
  const { id } = await disputed(1)
  await simulator.control.decideDispute(id, decision)
  expect(JSON.parse((await waitForNotification(event, id)).body).dispute.status).toBe(status)
})

test('without balance the solicitation is closed without a return', async () => {
  const { id } = await disputed(2_000_000)
  const { balance } = await simulator.control.findAccount('shop')
  expect(balance).toBeGreaterThan(0)
  await simulator.control.decideDispute(id, 'cancelled')
  const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 1 })
  const { balance: all } = await simulator.control.findAccount('shop')
  await woovi.orderPayment('everything', 'maria@example.com', {
    value: Math.round(all * 100),
    autoApprove: true,
  })
  const { id: poor } = await simulator.control.openDispute({ end_to_end, type: 'SCAM' })
  await simulator.control.decideDispute(poor, 'agreed')
  const { body } = await pollUntil(
    () => woovi.get(`/funds-recovery/${poor}/refund-solicitations`),
    response => response.body[0].status === 'CLOSED',
  )
  expect(body).toMatchObject([{ analysisResult: 'REJECTED', rejectionReason: 'NO_BALANCE' }])
})

test('evidence is an address or an uploaded file, and more may follow until the deadline', async () => {
  const { id } = await disputed(4)
  const file = (await upload('%PDF-1.4 proof', { correlationID: 'proof-1' })).body.file
  expect(file).toMatchObject({ fileName: 'prova.pdf', contentType: 'application/pdf', size: 14 })
  expect(await upload('%PDF-1.4 other', { correlationID: 'proof-1' })).toMatchObject({
    status: 200,
    body: { file: { id: file.id } },
  })
  const first = await woovi.post(`/dispute/${id}/evidence`, {
    documents: [{ fileId: file.id, description: 'Nota fiscal', correlationID: 'doc-1' }],
  })
  expect([first.status, first.body.documents[0]]).toEqual([
    200,
    { fileId: file.id, description: 'Nota fiscal', correlationID: 'doc-1', createdAt: expect.any(String) },
  ])
  const url = 'https://trilho.test/prova.png'
  expect((await woovi.post(`/dispute/${id}/evidence`, { documents: [{ url }] })).status).toBe(200)
  expect((await simulator.control.findDispute(id))[0]?.replies).toMatchObject([
    { accept: null, text: 'Nota fiscal', documents: [{ fileId: file.id }] },
    { documents: [{ url }] },
  ])
})

test.each([
  ['no document', {}],
  ['neither address nor file', { documents: [{ description: 'x' }] }],
  ['both', { documents: [{ url: 'https://x.test/a', fileId: 'file1' }] }],
  ['a file that was not uploaded', { documents: [{ fileId: 'file9999' }] }],
])('%s is no evidence', async (_name, body) => {
  const { id } = await disputed(1)
  const refusal = await woovi.post(`/dispute/${id}/evidence`, body)
  expect([refusal.status, typeof refusal.body.errors[0].message]).toEqual([400, 'string'])
})

test('after the deadline no evidence is accepted', async () => {
  const { id } = await disputed(1, { due_at: new Date(Date.now() - 1).toISOString() })
  const documents = [{ url: 'https://trilho.test/prova.png' }]
  expect((await woovi.post(`/dispute/${id}/evidence`, { documents })).body.error).toBe(
    'You cannot send a evidence for a accepted dispute',
  )
  expect((await woovi.post('/dispute/none/evidence', { documents })).body.error).toBe('Dispute not found')
})

test.each([
  ['another content', 'GIF89a', 'application/pdf', 415],
  ['another kind', 'plain', 'text/plain', 415],
  ['more than 10 MiB', `%PDF-${'x'.repeat(10 * 1024 * 1024)}`, 'application/pdf', 413],
])('%s is no file', async (_name, bytes, type, status) => {
  expect((await upload(bytes, { type })).status).toBe(status)
})

test.each([
  ['absent', 404, 'Funds recovery not found'],
  ['refused', 403, 'Application does not have required scope: FUNDS_RECOVERY_GET'],
] as const)('an account option makes the funds recovery %s', async (option, status, error) => {
  const { endToEnd, id } = await disputed(1)
  const options = { funds_recovery: option, finds_dispute_by_id: true }
  await simulator.control.putAccount('shop', { ...settings, options })
  const answer = await woovi.get(`/funds-recovery/${endToEnd}/disputes`)
  expect([answer.status, answer.body]).toEqual([status, { error }])
  expect((await woovi.get(`/dispute/${id}`)).body.dispute).toMatchObject({ id, endToEndId: endToEnd })
  await simulator.control.putAccount('shop', settings)
})
