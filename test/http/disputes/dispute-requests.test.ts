import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { readPdfText } from '../../support/pdf-text.ts'
import { type ApiFixture, type ApiResponse, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute, insertPaidTransfer, insertRequestedDispute } from '../support/dispute-rows.ts'
import { createSilentClient } from '../support/silent-temporal.ts'

/** What the API refuses before a workflow starts, and what it sends to one: the money of a transfer is asked back. */

const MEDS = '/api/v1/meds'
const DAY = 86_400_000

let fixture: ApiFixture
let account: { woovi: string; efi: string; token: string; efiToken: string }
let stranger: string
let calls: { name: string; sent: string }[] = []
beforeAll(async () => {
  fixture = await openApiFixture([disputeRoutes], {}, async () =>
    createSilentClient((name, sent) => calls.push({ name, sent })),
  )
  const uuid = await fixture.insertAccount()
  const woovi = await fixture.insertConnection(uuid, { provider: 'PROVIDER_B', dialect: 'woovi' })
  const efi = await fixture.insertConnection(uuid, { dialect: 'efi' })
  const token = await fixture.insertToken({ accountUuid: uuid })
  const efiToken = await fixture.insertToken({ accountUuid: uuid, connectionUuid: efi })
  account = { woovi, efi, token, efiToken }
  stranger = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
})
afterAll(() => fixture?.close())
beforeEach(() => {
  calls = []
})

type Request = { token?: string; body?: object; key?: string }

function ask(
  transfer: string,
  { token = account.token, body = {}, key }: Request = {},
): Promise<ApiResponse> {
  return fixture.call('POST', MEDS, {
    token,
    body: { transfer_uuid: transfer, dispute_type: 'SCAM', details: 'Loja falsa.', ...body },
    ...(key && { headers: { 'idempotency-key': key } }),
  })
}
const statusAndCodeOf = ({ status, body }: ApiResponse) => [status, body.code]

test.each<[string, number, string, () => Promise<string>]>([
  ['that does not exist', 404, 'not_found', async () => randomUUID()],
  [
    'that failed',
    409,
    'transfer_not_disputable',
    async () => {
      const { transfer } = await insertPaidTransfer(fixture, { connection: account.woovi })
      const other = randomUUID()
      await fixture.orm.em.execute(
        `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key, request_id,
           fingerprint, created_at, updated_at)
         select ?, account_uuid, connection_uuid, provider_account_uuid, 'failed', 1050, pix_key, 'r', 'f', now(), now()
         from transfer where uuid = ?`,
        [other, transfer],
      )
      return other
    },
  ],
  [
    'that came back whole',
    409,
    'transfer_not_disputable',
    async () =>
      (await insertPaidTransfer(fixture, { connection: account.woovi, state: 'refunded' })).transfer,
  ],
  [
    'of 81 days ago',
    409,
    'med_period_over',
    async () => {
      const settledAt = new Date(Date.now() - 81 * DAY)
      return (await insertPaidTransfer(fixture, { connection: account.woovi, settledAt })).transfer
    },
  ],
  [
    'whose money was asked back before',
    409,
    'med_already_asked',
    async () => (await insertRequestedDispute(fixture, { connection: account.woovi })).transfer,
  ],
  [
    'whose dispute was cancelled',
    409,
    'med_already_asked',
    async () =>
      (await insertRequestedDispute(fixture, { connection: account.woovi, state: 'cancelled' })).transfer,
  ],
  [
    'of a provider that takes no requests',
    422,
    'dispute_not_supported',
    async () => (await insertPaidTransfer(fixture, { connection: account.efi })).transfer,
  ],
])('the money of a transfer %s cannot be asked back', async (_, status, code, prepare) => {
  expect(statusAndCodeOf(await ask(await prepare()))).toEqual([status, code])
  expect(calls).toEqual([])
})

test('a transfer of another account, or of another provider than the token’s, is not found', async () => {
  const { transfer } = await insertPaidTransfer(fixture, { connection: account.woovi })
  for (const token of [stranger, account.efiToken])
    expect(statusAndCodeOf(await ask(transfer, { token }))).toEqual([404, 'not_found'])
  expect(calls).toEqual([])
})

test.each([
  ['details', { details: '' }],
  ['details', { details: 'x'.repeat(2_001) }],
  ['dispute_type', { dispute_type: 'QUARREL' }],
  ['transfer_uuid', { transfer_uuid: 'none' }],
  ['value', { value: 1 }],
])('a request with a wrong %s is 422 on it: %j', async (field, body) => {
  const answer = await ask(randomUUID(), { body })
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.body.errors)).toEqual([field])
})

test('a refused request of before is no reason against another one', async () => {
  const { transfer } = await insertRequestedDispute(fixture, { connection: account.woovi, state: 'refused' })
  expect(statusAndCodeOf(await ask(transfer))).toEqual([503, 'not_confirmed'])
})

test('a request starts one workflow, whose input shows no text, and names the dispute where it is unconfirmed', async () => {
  const { transfer } = await insertPaidTransfer(fixture, { connection: account.woovi })
  const answer = await ask(transfer, { body: { details: 'Um texto que ninguém lê' }, key: 'once' })
  expect(statusAndCodeOf(answer)).toEqual([503, 'not_confirmed'])
  const [started] = calls.filter(({ sent }) => sent.includes(transfer))
  expect(started?.sent).toContain(answer.body.data.uuid)
  expect(started?.sent).not.toContain('ninguém')
})

test.each([
  ['requesting', 409, 'med_not_cancellable'],
  ['resolved', 409, 'med_not_cancellable'],
  ['cancelled', 409, 'med_not_cancellable'],
  ['open', 503, 'cancellation_unknown'],
  ['accepted', 503, 'cancellation_unknown'],
])('a cancellation of a dispute that is %s: %d %s', async (state, status, code) => {
  const { dispute } = await insertRequestedDispute(fixture, { connection: account.woovi, state })
  const answer = await fixture.call('POST', `${MEDS}/${dispute}/cancel`, { token: account.token })
  expect(statusAndCodeOf(answer)).toEqual([status, code])
})

test('a received dispute, one of a provider that cannot, and one of another account are not cancelled', async () => {
  const received = await insertDispute(fixture, { connection: account.woovi })
  const elsewhere = await insertDispute(fixture, { connection: account.efi, kind: 'REQUESTED_MED' })
  for (const uuid of [received, elsewhere]) {
    const answer = await fixture.call('POST', `${MEDS}/${uuid}/cancel`, { token: account.token })
    expect(statusAndCodeOf(answer)).toEqual([409, 'med_not_cancellable'])
  }
  const answer = await fixture.call('POST', `${MEDS}/${received}/cancel`, { token: stranger })
  expect(statusAndCodeOf(answer)).toEqual([404, 'not_found'])
  expect(calls).toEqual([])
})

test('what is recorded of a disputed PIX is a PDF, equal until the dispute changes', async () => {
  const { dispute, transfer } = await insertRequestedDispute(fixture, { connection: account.woovi })
  const path = `${MEDS}/${dispute}/evidence.pdf`
  const download = async (language: string) => {
    const headers = { authorization: `Bearer ${account.token}` }
    const answer = await fetch(`${fixture.server.url}${path}?language=${language}`, { headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    return Buffer.from(await answer.arrayBuffer())
  }
  const first = await download('en')
  expect((await download('en')).equals(first)).toBe(true)
  const text = await readPdfText(first)
  for (const part of ['Dispute of a sent PIX', 'Test mode', 'Scam', 'Loja falsa.'])
    expect(text).toContain(part)
  const unbroken = text.replaceAll(/\s/g, '')
  for (const uuid of [dispute, transfer]) expect(unbroken).toContain(uuid)
  expect(await readPdfText(await download('pt-BR'))).toContain('Contestação de um Pix enviado')
  expect(statusAndCodeOf(await fixture.call('GET', path, { token: stranger }))).toEqual([404, 'not_found'])
})

test('a requested dispute shows what came back, its stage, and why it was refused', async () => {
  const { dispute } = await insertRequestedDispute(fixture, { connection: account.woovi })
  const recovery = { stage: 'TRACKED', events: [{ stage: 'CREATED', at: '2026-11-30T12:00:00.000Z' }] }
  await fixture.orm.em.execute(
    'update dispute set recovery = ?::jsonb, returned_cents = 300 where uuid = ?',
    [JSON.stringify(recovery), dispute],
  )
  const read = async (uuid: string) =>
    (await fixture.call('GET', `${MEDS}/${uuid}`, { token: account.token })).body.data
  expect(await read(dispute)).toMatchObject({
    med_type: 'REQUESTED_MED',
    status: 'PENDING',
    recovered_value: 3,
    recovery: { stage: 'TRACKED', events: [{ stage: 'CREATED', at: '2026-11-30T12:00:00.000000Z' }] },
  })
  const refused = await insertRequestedDispute(fixture, { connection: account.woovi, state: 'refused' })
  await fixture.orm.em.execute('update dispute set failure = ?::jsonb where uuid = ?', [
    JSON.stringify({ code: 'dispute_refused', message: 'No.' }),
    refused.dispute,
  ])
  expect(await read(refused.dispute)).toMatchObject({
    status: 'REJECTED',
    resolved: true,
    error: { code: 'dispute_refused', message: 'No.' },
  })
})
