import { expect, test } from '@jest/globals'
import {
  chargeOf,
  okReply,
  openWooviFixture,
  REFERENCE,
  TXID,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: null,
  message: 'Pedido 7',
}
const POST = 'POST /api/v1/charge'
const GET = `GET /api/v1/charge/${REFERENCE}`

const EMPTY_PARTY = {
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
  receiver: EMPTY_PARTY,
}

test('a charge is requested in Woovi’s fields and its answer mapped to ours', async () => {
  await using story = await openWooviFixture()
  story.far.scriptReplies(POST, okReply(chargeOf()))
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

test('a charge that Woovi cannot issue is not requested', async () => {
  await using story = await openWooviFixture()
  expect(story.provider.capabilities.canIssueOpenAmount).toBe(false)
  expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'open_amount_unsupported',
  })
  expect(story.far.seen).toEqual([])
})

test.each(UNEXPLAINED_REPLIES)('issuing: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.far.scriptReplies(POST, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test.each([
  ['another value', chargeOf({ value: 1235 })],
  ['another reference', chargeOf({ correlationID: 'f'.repeat(32) })],
  ['no payload', chargeOf({ brCode: undefined })],
  ['no end', chargeOf({ expiresDate: null, expiresIn: null })],
  ['a state of its own', chargeOf({ status: 'VENCIDA' })],
])('a charge issued with %s is no acceptance', async (_name, json) => {
  await using story = await openWooviFixture()
  story.far.scriptReplies(POST, okReply(json))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
})

const alreadyExistsReply = wooviErrorReply('Já existe uma cobrança com este Correlação ID')
const notThere = wooviErrorReply('Cobrança não encontrada')
test.each([
  ['ours', okReply(chargeOf()), { kind: 'accepted', charge: issued }],
  [
    'of another value',
    okReply(chargeOf({ value: 100 })),
    { kind: 'rejected', finality: 'other_may_help', code: 'reference_taken' },
  ],
  ['already paid', okReply(chargeOf({ status: 'COMPLETED' })), { kind: 'rejected', code: 'reference_taken' }],
  ['not there', notThere, { kind: 'unknown', code: 'duplicate_id' }],
  ['and silence', 'hang' as const, { kind: 'unknown', code: 'timeout' }],
])('an existing id is looked up: %s', async (_name, get, outcome) => {
  await using story = await openWooviFixture({ reply: get })
  story.far.scriptReplies(POST, alreadyExistsReply)
  story.far.scriptReplies(GET, get)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  expect(story.far.calls().map(({ method }) => method)).toEqual(['POST', 'GET'])
})
