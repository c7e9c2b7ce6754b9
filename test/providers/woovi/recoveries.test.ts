import { expect, test } from '@jest/globals'
import {
  END_TO_END,
  NOW,
  okReply,
  openWooviFixture,
  RETURN_ID,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

/** Requests for the money of a PIX that the account has sent ("Recuperação de fundos (MED)"). */

const DICT_ID = '3e760cd5-39b2-45da-8ab6-b212cf205568'
const REQUEST = 'POST /api/v1/funds-recovery'
const RECOVERY = `GET /api/v1/funds-recovery/${END_TO_END}`
const CANCEL = `POST /api/v1/funds-recovery/${DICT_ID}/cancel`
const REPORTS = `${RECOVERY}/infraction-reports`
const SOLICITATIONS = `${RECOVERY}/refund-solicitations`
const at = '2026-01-10T12:00:00.000Z'

const request = { endToEnd: END_TO_END, situation: 'SCAM', details: 'Loja falsa.' } as const
const reference = { id: END_TO_END, endToEnd: END_TO_END, isRequested: true } as const

/** The example of the OpenAPI document, with the PIX of these tests. */
const recovery = (changes: Record<string, unknown> = {}) => ({
  rootTransactionId: END_TO_END,
  situationType: 'SCAM',
  reportDetails: 'Loja falsa.',
  dictId: DICT_ID,
  status: 'CREATED',
  direction: 'SENT',
  reporterParticipant: '31680151',
  creationTime: at,
  lastModified: at,
  events: [],
  createdAt: at,
  updatedAt: at,
  ...changes,
})
const report = (analysisResult: string) => [{ transactionId: END_TO_END, status: 'CLOSED', analysisResult }]
const solicitation = (changes: Record<string, unknown> = {}) => ({
  endToEndId: END_TO_END,
  status: 'CLOSED',
  EffectiveRefundedAmount: 320,
  refundTransactionId: RETURN_ID,
  refundedAt: at,
  ...changes,
})
const exists = wooviErrorReply(`FundsRecovery already exists for transaction ${END_TO_END}`, { status: 422 })
const notFound = wooviErrorReply('Funds recovery not found', { status: 404 })

test('a request is sent with the PIX, the situation and the text, and answered with the recovery', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(REQUEST, okReply(recovery(), 201))
  expect(await story.provider.requestDispute!(request)).toEqual({
    kind: 'accepted',
    dispute: {
      id: DICT_ID,
      kind: 'REQUESTED_MED',
      endToEnd: END_TO_END,
      disputeType: 'SCAM',
      cents: null,
      status: 'open',
      openedAt: at,
      dueAt: null,
      details: 'SCAM',
      analysis: '',
      returns: [],
      isClosed: false,
      recovery: { stage: 'CREATED', events: [] },
    },
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    transactionEndToEndId: END_TO_END,
    situationType: 'SCAM',
    details: 'Loja falsa.',
  })
})

test('a request about a PIX that has a recovery is that recovery', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(REQUEST, exists)
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'TRACKED' })))
  expect(await story.provider.requestDispute!(request)).toMatchObject({
    kind: 'accepted',
    dispute: { id: DICT_ID, status: 'analysing', recovery: { stage: 'TRACKED' } },
  })
})

test('a request about a PIX that has a recovery, which is not shown yet, is unknown', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(REQUEST, exists)
  story.scripted.scriptReplies(RECOVERY, notFound)
  expect(await story.provider.requestDispute!(request)).toMatchObject({
    kind: 'unknown',
    code: 'duplicate_id',
  })
})

test.each([
  ['of the Central Bank', wooviErrorReply('Refused by the Central Bank', { status: 422 }), 'dispute_refused'],
  ['of a body', okReply({ error: { situationType: ['Invalid enum value'] } }, 400), 'dispute_refused'],
  ['of an unknown PIX', wooviErrorReply('Transaction not found', { status: 404 }), 'dispute_refused'],
  [
    'of an account without the feature',
    wooviErrorReply('Your account does not have the permission to use this endpoint', { status: 403 }),
    'provider_denied',
  ],
])('a refusal %s is a refusal where no recovery is found', async (_name, reply, code) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(REQUEST, reply)
  story.scripted.scriptReplies(RECOVERY, notFound)
  expect(await story.provider.requestDispute!(request)).toMatchObject({ kind: 'rejected', code })
})

/** Without the one that a table explains, and those of a status whose sentences are not published. */
const LOST = UNEXPLAINED_REPLIES.filter(
  ([name, reply]) => name !== '401' && (typeof reply === 'string' || reply.status !== 400),
)
test.concurrent.each(LOST)('a request: %s is unknown', async (_name, reply) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(REQUEST, reply)
  story.scripted.scriptReplies(RECOVERY, reply)
  expect(['unknown', 'unreachable']).toContain((await story.provider.requestDispute!(request)).kind)
})

test.each([
  ['CREATED', [], 'open', false],
  ['TRACKED', [], 'analysing', false],
  ['AWAITING_ANALYSIS', [], 'analysing', false],
  ['ANALYSED', [], 'analysing', false],
  ['ANALYSED', report('AGREED'), 'agreed', false],
  ['ANALYSED', report('DISAGREED'), 'disagreed', false],
  ['REFUNDING', [], 'agreed', false],
  ['COMPLETED', report('AGREED'), 'agreed', true],
  ['COMPLETED', report('DISAGREED'), 'disagreed', true],
  ['COMPLETED', [], 'agreed', true],
  ['CANCELLED', [], 'withdrawn', false],
])('a recovery that is %s with the reports %j is %s', async (status, reports, expected, isClosed) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status })))
  story.scripted.scriptReplies(REPORTS, okReply(reports))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([]))
  expect(await story.provider.findDispute(reference)).toMatchObject({
    dispute: { kind: 'REQUESTED_MED', status: expected, isClosed, recovery: { stage: status } },
  })
})

test('what banks of other accounts return is listed with what the first one returns', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'REFUNDING' })))
  story.scripted.scriptReplies(REPORTS, okReply(report('AGREED')))
  const other = { endToEndId: 'E-other', refundTransactionId: 'D-other', EffectiveRefundedAmount: 100 }
  story.scripted.scriptReplies(SOLICITATIONS, okReply([solicitation(), solicitation(other)]))
  expect(await story.provider.findDispute(reference)).toMatchObject({
    dispute: { status: 'agreed', returns: [{ cents: 320 }, { endToEnd: 'D-other', cents: 100 }] },
  })
})

test.each([
  ['reports', REPORTS],
  ['returns', SOLICITATIONS],
])('a completed recovery whose %s cannot be read is not closed', async (_name, path) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'COMPLETED' })))
  for (const list of [REPORTS, SOLICITATIONS])
    story.scripted.scriptReplies(
      list,
      list === path ? wooviErrorReply('Erro interno', { status: 500 }) : okReply([]),
    )
  expect(await story.provider.findDispute(reference)).toMatchObject({
    dispute: { status: 'analysing', isClosed: false },
  })
})

test('91 days after the PIX a recovery without a decision is closed', async () => {
  await using story = await openWooviFixture({ now: () => NOW + 92 * 86_400_000 })
  story.scripted.scriptReplies(RECOVERY, okReply(recovery()))
  expect(await story.provider.findDispute(reference)).toMatchObject({
    dispute: { status: 'analysing', isClosed: true },
  })
})

test('the events of a recovery are its stages, without those that no document has', async () => {
  await using story = await openWooviFixture()
  const events = ['TRACKED', 'SOMETHING_NEW', 'AWAITING_ANALYSIS'].map(event => ({
    id: event,
    event,
    timestamp: at,
  }))
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'AWAITING_ANALYSIS', events })))
  expect(await story.provider.findDispute(reference)).toMatchObject({
    dispute: {
      recovery: {
        stage: 'AWAITING_ANALYSIS',
        events: [
          { stage: 'TRACKED', at },
          { stage: 'AWAITING_ANALYSIS', at },
        ],
      },
    },
  })
})

test.each([
  ['that Woovi does not find', notFound],
  ['that another bank has opened', okReply(recovery({ direction: 'RECEIVED' }))],
])('a recovery %s is not found', async (_name, reply) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, reply)
  expect(await story.provider.findDispute(reference)).toEqual({ kind: 'not_found' })
})

test('a cancellation names the id of the Central Bank and ends the recovery', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'TRACKED' })))
  story.scripted.scriptReplies(CANCEL, okReply(recovery({ status: 'CANCELLED' })))
  expect(await story.provider.cancelDispute!(reference)).toMatchObject({
    kind: 'found',
    dispute: { status: 'withdrawn' },
  })
})

test.each([
  ['that has ended', 'Cannot cancel: FundsRecovery is already in terminal status COMPLETED'],
  ['that the Central Bank refuses', 'Refused'],
])('a cancellation %s shows the dispute as it goes on', async (_name, sentence) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'TRACKED' })))
  story.scripted.scriptReplies(CANCEL, wooviErrorReply(sentence, { status: 422 }))
  expect(await story.provider.cancelDispute!(reference)).toMatchObject({
    kind: 'found',
    dispute: { status: 'analysing' },
  })
})

test('a recovery that was cancelled before is not cancelled again', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(RECOVERY, okReply(recovery({ status: 'CANCELLED' })))
  expect(await story.provider.cancelDispute!(reference)).toMatchObject({ dispute: { status: 'withdrawn' } })
  expect(story.scripted.calls()).toHaveLength(1)
})

test.concurrent.each(LOST)('a cancellation: %s is no answer', async (_name, reply) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(RECOVERY, okReply(recovery()))
  story.scripted.scriptReplies(CANCEL, reply)
  const isRefusal = typeof reply !== 'string' && reply.status === 422
  expect((await story.provider.cancelDispute!(reference)).kind).toBe(isRefusal ? 'found' : 'no_answer')
})
