import { expect, test } from '@jest/globals'
import { charge, failures, ok, REFERENCE, refused, TXID, woovi } from './support/woovi.ts'

const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: null,
  message: 'Pedido 7',
}
const POST = 'POST /api/v1/charge'
const GET = `GET /api/v1/charge/${REFERENCE}`

const nobody = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}
const pixKey = 'd65032a3-c0c0-4b22-9f0e-0a9c4f6d1a11'
const issued = {
  txid: TXID,
  payload: '00020101021226...',
  expiresAt: '2026-01-10T12:59:00.000Z',
  pixKey,
  receiver: nobody,
}

test('an issued charge is asked for in Woovi’s words and accepted in ours', async () => {
  await using story = await woovi()
  story.far.answers(POST, ok(charge()))
  expect(await story.provider.issueCharge(order)).toEqual({ kind: 'accepted', charge: issued })
  const [call] = story.far.calls()
  expect(call?.headers.authorization).toBe('our-app-id')
  expect(JSON.parse(call!.body)).toEqual({
    correlationID: REFERENCE,
    value: 1234,
    expiresIn: 3600,
    comment: 'Pedido 7',
  })
})

test('what Woovi cannot issue is not asked for', async () => {
  await using story = await woovi()
  expect(story.provider.capabilities.openAmount).toBe(false)
  expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'open_amount_unsupported',
  })
  expect(story.far.seen).toEqual([])
})

test.each(failures)('issuing: %s', async (_name, reply, outcome) => {
  await using story = await woovi({ reply })
  story.far.answers(POST, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test.each([
  ['another value', charge({ value: 1235 })],
  ['another reference', charge({ correlationID: 'f'.repeat(32) })],
  ['no payload', charge({ brCode: undefined })],
  ['no end', charge({ expiresDate: null, expiresIn: null })],
  ['a state of its own', charge({ status: 'VENCIDA' })],
])('a charge issued with %s is no acceptance', async (_name, json) => {
  await using story = await woovi()
  story.far.answers(POST, ok(json))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
})

const taken = refused('Já existe uma cobrança com este Correlação ID')
const notThere = refused('Cobrança não encontrada')
test.each([
  ['ours', ok(charge()), { kind: 'accepted', charge: issued }],
  [
    'of another value',
    ok(charge({ value: 100 })),
    { kind: 'rejected', finality: 'other_may_help', code: 'reference_taken' },
  ],
  ['already paid', ok(charge({ status: 'COMPLETED' })), { kind: 'rejected', code: 'reference_taken' }],
  ['not there', notThere, { kind: 'unknown', code: 'duplicate_id' }],
  ['and silence', 'hang' as const, { kind: 'unknown', code: 'timeout' }],
])('a taken id is looked up: %s', async (_name, get, outcome) => {
  await using story = await woovi({ reply: get })
  story.far.answers(POST, taken)
  story.far.answers(GET, get)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  expect(story.far.calls().map(({ method }) => method)).toEqual(['POST', 'GET'])
})
