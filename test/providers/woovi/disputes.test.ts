import { expect, test } from '@jest/globals'
import {
  END_TO_END,
  NOW,
  okReply,
  openWooviFixture,
  pageOf,
  RETURN_ID,
  transactionOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const ID = '67e3170b38e62d5935ed4faf'
const LIST = 'GET /api/v1/dispute'
const BY_ID = `GET /api/v1/dispute/${ID}`
const BY_PIX = `GET /api/v1/dispute/${END_TO_END}`
const RECOVERY = `/api/v1/funds-recovery/${END_TO_END}`
const DISPUTES = `GET ${RECOVERY}/disputes`
const SOLICITATIONS = `GET ${RECOVERY}/refund-solicitations`
const REPORTS = `GET ${RECOVERY}/infraction-reports`
const MOVED = `GET /api/v1/transaction/${END_TO_END}`
const FILES = 'POST /api/v1/files'
const EVIDENCE = `POST /api/v1/dispute/${ID}/evidence`
const from = '2026-01-01T00:00:00.000Z'
const to = '2026-01-10T23:59:59.999Z'
const at = '2026-01-10T12:00:00.000Z'

/** "Payload GET de Disputa": for a MED these fields and no more. */
const dispute = (changes: Record<string, unknown> = {}) => ({
  type: 'MED',
  status: 'CREATED',
  endToEndId: END_TO_END,
  id: ID,
  ...changes,
})
const behind = (changes: Record<string, unknown> = {}) => [
  {
    ...dispute(),
    sentOrReceived: 'RECEIVED',
    situationType: 'COERCION',
    value: 1000,
    createdAt: at,
    ...changes,
  },
]
const solicitation = (changes: Record<string, unknown> = {}) => ({
  bacenRefundId: '9d1f2c3a-1b2c-4d5e-8f90-1a2b3c4d5e6f',
  endToEndId: END_TO_END,
  refundAmount: 1000,
  EffectiveRefundedAmount: 320,
  status: 'CLOSED',
  analysisResult: 'PARTIALLY_ACCEPTED',
  refundTransactionId: RETURN_ID,
  refundedAt: at,
  ...changes,
})
const more = (cents: number, endToEndId = END_TO_END) =>
  solicitation({ endToEndId, EffectiveRefundedAmount: cents, refundTransactionId: 'D-more' })
const noRecovery = wooviErrorReply('Recuperação de fundos não encontrada', { status: 404 })
const denied = wooviErrorReply('Your account does not have the permission to use this endpoint', {
  status: 403,
})
const name = { id: ID, endToEnd: END_TO_END }

test('a dispute is mapped to our fields, with the Central Bank’s data', async () => {
  await using story = await openWooviFixture()
  const listed = dispute({ status: 'IN_REVIEW', value: 1000, disputeReason: 'Coação' })
  const chargeback = dispute({ type: 'CHARGEBACK', id: 'c' })
  story.scripted.scriptReplies(LIST, okReply(pageOf('disputes', [listed, chargeback])))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  expect(await story.provider.listDisputes(from, to)).toEqual({
    kind: 'found',
    disputes: [
      {
        id: ID,
        kind: 'RECEIVED_MED',
        endToEnd: END_TO_END,
        disputeType: 'COERCION_CRIME',
        cents: 1000,
        status: 'open',
        openedAt: at,
        dueAt: '2026-01-13T12:00:00.000Z',
        details: 'COERCION; Coação',
        analysis: '',
        returns: [],
        isClosed: false,
      },
    ],
  })
  const { searchParams } = new URL(story.scripted.calls()[0]!.path, story.scripted.url)
  expect([searchParams.get('start'), searchParams.get('end')]).toEqual([from, to])
})

test.each([
  ['CREATED', 'open'],
  ['OPENED', 'open'],
  ['PENDING', 'open'],
  ['PENDING_DOCUMENTATION', 'open'],
  ['ACKNOWLEDGED', 'open'],
  ['ACCEPTED', 'agreed'],
  ['REJECTED', 'disagreed'],
  ['CANCELED', 'withdrawn'],
])('%s is %s', async (theirs, status) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: theirs }) }))
  story.scripted.scriptReplies(DISPUTES, okReply({ disputes: behind() }))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([]))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: { status, isClosed: false, cents: 1000 },
  })
})

const report = { transactionId: END_TO_END, status: 'CLOSED', analysisResult: 'AGREED' }
test.each([
  ['agreed to', [report], 'agreed'],
  ['disagreed with', [{ ...report, analysisResult: 'DISAGREED' }], 'disagreed'],
  ['of another PIX', [{ ...report, transactionId: 'E-other' }], 'analysing'],
  ['not analysed', [{ ...report, status: 'ACKNOWLEDGED' }], 'analysing'],
  ['answered with an undocumented value', [{ ...report, analysisResult: 'HALF' }], 'analysing'],
  ['not there', [], 'analysing'],
])('a CLOSED dispute whose report is %s', async (_name, reports, status) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'CLOSED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  story.scripted.scriptReplies(REPORTS, okReply(reports))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([]))
  expect(await story.provider.findDispute(name)).toMatchObject({ dispute: { status, isClosed: false } })
})

test('a dispute in an undocumented state is left out of the list, and the others stay', async () => {
  await using story = await openWooviFixture()
  const odd = dispute({ status: 'SOB_REVISAO', id: 'odd' })
  story.scripted.scriptReplies(LIST, okReply(pageOf('disputes', [odd, dispute()])))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  expect(await story.provider.listDisputes(from, to)).toMatchObject({ kind: 'found', disputes: [{ id: ID }] })
  expect(story.recorded).toEqual([
    {
      operation: 'listDisputes',
      reference: null,
      kind: 'unreadable_item',
      status: 200,
      name: 'SOB_REVISAO',
      body: JSON.stringify(odd),
      period: { from, to },
    },
  ])
})

test('an unreadable item with a dispute hides neither it nor its return, and closes nothing', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply([{ odd: true }, ...behind()]))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([solicitation(), { EffectiveRefundedAmount: 'all' }]))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: { status: 'agreed', returns: [{ cents: 320 }], isClosed: false },
  })
})

test.each([
  ['closed with money', [solicitation()], [320], true],
  ['still open', [solicitation({ status: 'OPEN', refundTransactionId: null })], [], false],
  ['closed without', [solicitation({ EffectiveRefundedAmount: 0, refundTransactionId: null })], [], true],
  ['of another leg', [solicitation({ endToEndId: 'E-other' })], [], false],
  ['beside one above the rest of the disputed value', [solicitation(), more(681)], [320], false],
  ['above the disputed value', [more(1001), solicitation()], [320], false],
  ['beside one above the value, of another leg', [solicitation(), more(1001, 'E-other')], [320], true],
])('an accepted dispute whose solicitation is %s', async (_name, all, returns, closed) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  story.scripted.scriptReplies(SOLICITATIONS, okReply(all))
  const outcome = await story.provider.findDispute(name)
  expect(outcome).toMatchObject({ dispute: { isClosed: closed } })
  expect(outcome.kind === 'found' && outcome.dispute.returns).toEqual(
    returns.map(cents => ({ id: RETURN_ID, endToEnd: RETURN_ID, cents, at })),
  )
})

test('where Woovi reports no disputed value, no more than the PIX is returned', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind({ value: undefined })))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([more(transactionOf().value + 1), solicitation()]))
  story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf() }))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: { cents: null, returns: [{ cents: 320 }], isClosed: false },
  })
  expect(story.recorded).toMatchObject([{ kind: 'unreadable_item', body: expect.stringContaining('1235') }])
})

test('a dispute of ours is returned from every leg, and has no deadline for us', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind({ sentOrReceived: 'SENT' })))
  const other = solicitation({ endToEndId: 'E-other', refundTransactionId: 'D-other' })
  story.scripted.scriptReplies(SOLICITATIONS, okReply({ refundSolicitations: [solicitation(), other] }))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: {
      kind: 'REQUESTED_MED',
      dueAt: null,
      returns: [{ endToEnd: RETURN_ID }, { endToEnd: 'D-other' }],
    },
  })
})

test.each([
  ['PAYMENT', noRecovery, 'RECEIVED_MED'],
  ['PAYMENT', denied, 'RECEIVED_MED'],
  ['WITHDRAW', denied, 'REQUESTED_MED'],
])('without the feature a movement of type %s shows whose dispute it is', async (type, answer, kind) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, answer)
  story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf({ type }) }))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: {
      kind,
      disputeType: 'UNDEFINED',
      cents: null,
      returns: [],
      isClosed: false,
      openedAt: new Date(NOW).toISOString(),
    },
  })
})

const paidDaysAgo = (days: number) =>
  okReply({ transaction: transactionOf({ time: new Date(NOW - days * 86_400_000).toISOString() }) })
test.each([
  ['accepted, without the feature', 'ACCEPTED', noRecovery, 91.1, true],
  ['accepted, without the feature', 'ACCEPTED', denied, 90, false],
  ['accepted, without a solicitation', 'ACCEPTED', okReply(behind()), 91.1, true],
  ['accepted, without a solicitation', 'ACCEPTED', okReply(behind()), 90, false],
  ['closed without a report', 'CLOSED', okReply(behind()), 91.1, true],
  ['closed, without the feature', 'CLOSED', denied, 91.1, true],
  ['closed, without the feature', 'CLOSED', denied, 90, false],
  ['open', 'CREATED', denied, 91.1, false],
])('a dispute %s: %s, %#: no return follows after 91 days', async (_name, status, answer, days, isClosed) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status }) }))
  story.scripted.scriptReplies(DISPUTES, answer)
  story.scripted.scriptReplies(REPORTS, okReply([]))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([]))
  story.scripted.scriptReplies(MOVED, paidDaysAgo(days))
  const outcome = await story.provider.findDispute(name)
  expect(outcome).toMatchObject({ dispute: { isClosed, returns: [] } })
  expect(story.scripted.calls().filter(({ path }) => path.startsWith('/api/v1/transaction/'))).toHaveLength(1)
})

test('an accepted dispute whose PIX is unknown to Woovi is closed 91 days after its opening', async () => {
  await using story = await openWooviFixture({ now: () => NOW + 92 * 86_400_000 })
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  story.scripted.scriptReplies(SOLICITATIONS, okReply([]))
  expect(await story.provider.findDispute(name)).toMatchObject({ dispute: { isClosed: true } })
})

test('a listed dispute without an id is looked up by its PIX', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(LIST, okReply(pageOf('disputes', [dispute({ id: undefined })])))
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute() }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  expect(await story.provider.listDisputes(from, to)).toMatchObject({ disputes: [{ id: ID }] })
})

test.each([
  ['nobody’s', wooviErrorReply('Disputa não encontrada')],
  ['a chargeback', okReply({ dispute: dispute({ type: 'CHARGEBACK' }) })],
])('a dispute that is %s is not found', async (_name, answer) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, answer)
  story.scripted.scriptReplies(BY_ID, answer)
  expect(await story.provider.findDispute(name)).toEqual({ kind: 'not_found' })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a lookup of a dispute: %s is no answer', async (_name, reply) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(LIST, reply)
  story.scripted.scriptReplies(BY_PIX, reply)
  story.scripted.scriptReplies(BY_ID, reply)
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  const answers = await Promise.all([story.provider.listDisputes(from, to), story.provider.findDispute(name)])
  expect(answers).toMatchObject([{ kind: 'no_answer' }, { kind: 'no_answer' }])
})

const ANSWERED = UNEXPLAINED_REPLIES.filter(([, reply]) => typeof reply !== 'string')
const UNANSWERED = UNEXPLAINED_REPLIES.filter(([, reply]) => typeof reply === 'string')
/** Answers of the OpenAPI document and others that the table does not list. */
const REFUSALS: typeof ANSWERED = [
  ['403 in other words', wooviErrorReply('Missing scope: FUNDS_RECOVERY_GET', { status: 403 }), {}],
  ['400 with the faults of a field', okReply({ error: { id: ['Invalid UUID'] } }, 400), {}],
  ['404 in HTML', { status: 404, text: '<html>Not Found</html>' }, {}],
]

test.concurrent.each([...ANSWERED, ...REFUSALS])(
  'a dispute is listed and found although its funds recovery answers %s',
  async (_name, reply) => {
    await using story = await openWooviFixture()
    const other = dispute({ id: 'other', endToEndId: 'E-other' })
    story.scripted.scriptReplies(LIST, okReply(pageOf('disputes', [dispute(), other])))
    story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute() }))
    story.scripted.scriptReplies(DISPUTES, reply)
    story.scripted.scriptReplies('GET /api/v1/funds-recovery/E-other/disputes', reply)
    story.scripted.scriptReplies(MOVED, reply)
    expect(await story.provider.listDisputes(from, to)).toMatchObject({
      disputes: [
        { id: ID, kind: 'RECEIVED_MED', status: 'open' },
        { id: 'other', status: 'open' },
      ],
    })
    expect(await story.provider.findDispute(name)).toMatchObject({ dispute: { id: ID, status: 'open' } })
  },
)

test.concurrent.each([...ANSWERED, ...REFUSALS])(
  'an accepted dispute whose movements are answered by %s has no return yet, and is not closed',
  async (_name, reply) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
    story.scripted.scriptReplies(DISPUTES, okReply(behind()))
    story.scripted.scriptReplies(SOLICITATIONS, reply)
    story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf() }))
    expect(await story.provider.findDispute(name)).toMatchObject({
      dispute: { status: 'agreed', returns: [], isClosed: false },
    })
  },
)

test.each([
  ['500', wooviErrorReply('Erro interno', { status: 500 }), false],
  ['403 in other words', wooviErrorReply('Missing scope', { status: 403 }), true],
])('after 91 days an accepted dispute whose movements are answered by %s', async (_name, reply, isClosed) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  story.scripted.scriptReplies(SOLICITATIONS, reply)
  story.scripted.scriptReplies(MOVED, paidDaysAgo(92))
  expect(await story.provider.findDispute(name)).toMatchObject({ dispute: { isClosed } })
})

test.concurrent.each(UNANSWERED)(
  'a lookup of a decided dispute’s movements: %s is no answer',
  async (_name, reply) => {
    await using story = await openWooviFixture({ reply })
    story.scripted.scriptReplies(BY_PIX, okReply({ dispute: dispute({ status: 'ACCEPTED' }) }))
    story.scripted.scriptReplies(DISPUTES, okReply(behind()))
    story.scripted.scriptReplies(SOLICITATIONS, reply)
    expect(await story.provider.findDispute(name)).toMatchObject({ kind: 'no_answer' })
  },
)

test('a dispute is looked up by its PIX, as its example without an id', async () => {
  await using story = await openWooviFixture()
  const { id: _, ...documented } = dispute({ status: 'REJECTED' })
  story.scripted.scriptReplies(BY_PIX, okReply({ dispute: documented }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  expect(await story.provider.findDispute(name)).toMatchObject({
    dispute: { id: ID, endToEnd: END_TO_END, status: 'disagreed' },
  })
  expect(story.scripted.calls()[0]!.path).toBe(`/api/v1/dispute/${END_TO_END}`)
})

test.each([
  ['has another dispute', okReply({ dispute: dispute({ id: 'another' }) })],
  ['has a chargeback', okReply({ dispute: dispute({ type: 'CHARGEBACK' }) })],
  ['has none', wooviErrorReply('Dispute not found')],
  ['is answered in other words', wooviErrorReply('Nada', { status: 404 })],
])('a dispute whose PIX %s is looked up by its id', async (_name, byPix) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(BY_PIX, byPix)
  story.scripted.scriptReplies(BY_ID, okReply({ dispute: dispute({ status: 'REJECTED' }) }))
  story.scripted.scriptReplies(DISPUTES, okReply(behind()))
  expect(await story.provider.findDispute(name)).toMatchObject({ dispute: { id: ID, status: 'disagreed' } })
})

const reply = { id: ID, endToEnd: END_TO_END, accept: false, analysis: 'Entregue (ação).', attachments: [] }
const attachment = (uuid: string) => ({
  uuid,
  name: `${uuid}.pdf`,
  contentType: 'application/pdf',
  url: `https://files.test/${uuid}?s=1`,
})

test('proofs are sent by their addresses, and our text is attached to the first', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(EVIDENCE, okReply({ documents: [] }))
  const attachments = [attachment('a'), attachment('b')]
  expect(await story.provider.replyToDispute({ ...reply, accept: true, attachments })).toEqual({
    kind: 'accepted',
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    documents: [
      {
        url: 'https://files.test/a?s=1',
        description: 'a.pdf\nO recebedor concorda com a contestação.\nEntregue (ação).',
        correlationID: 'a',
      },
      { url: 'https://files.test/b?s=1', description: 'b.pdf', correlationID: 'b' },
    ],
  })
})

test('without proofs the text is sent as a PDF, the same one on each repeat', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(FILES, okReply({ file: { id: 'file1', purpose: 'DISPUTE_EVIDENCE' } }, 201))
  story.scripted.scriptReplies(EVIDENCE, okReply({ documents: [] }))
  expect(await story.provider.replyToDispute(reply)).toEqual({ kind: 'accepted' })
  await story.provider.replyToDispute(reply)
  const [upload, evidence, repeat] = story.scripted.calls()
  expect(upload?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(upload?.body).toContain('name="purpose"\r\n\r\nDISPUTE_EVIDENCE')
  expect(upload?.body).toContain('%PDF-1.4')
  const partsOf = ({ body = '' } = {}) => body.split(body.slice(0, body.indexOf('\r\n')))
  expect(partsOf(upload).length).toBe(5)
  expect(partsOf(repeat)).toEqual(partsOf(upload))
  expect(JSON.parse(evidence!.body)).toEqual({
    documents: [
      {
        fileId: 'file1',
        description: 'O recebedor não concorda com a contestação.\nEntregue (ação).',
        correlationID: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ],
  })
})

test.each([
  [
    'refused',
    wooviErrorReply('appID inválido', { status: 401 }),
    { kind: 'rejected', code: 'provider_denied' },
  ],
  ['lost', 'reset' as const, { kind: 'unreachable' }],
])('an upload that is %s has no answer', async (_name, answer, outcome) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(FILES, answer)
  expect(await story.provider.replyToDispute(reply)).toMatchObject(outcome)
  expect(story.scripted.calls()).toHaveLength(1)
})

test.each([
  ['too late', wooviErrorReply('You cannot send a evidence for a accepted dispute'), 'reply_refused'],
])('a reply %s is refused finally', async (_name, answer, code) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(EVIDENCE, answer)
  expect(await story.provider.replyToDispute({ ...reply, attachments: [attachment('a')] })).toMatchObject({
    kind: 'rejected',
    finality: 'final',
    code,
  })
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a reply: %s', async (_name, answer, outcome) => {
  await using story = await openWooviFixture({ reply: answer })
  story.scripted.scriptReplies(EVIDENCE, answer)
  expect(await story.provider.replyToDispute({ ...reply, attachments: [attachment('a')] })).toMatchObject(
    outcome,
  )
})
