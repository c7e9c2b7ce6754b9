import { expect, test } from '@jest/globals'
import { BACEN_CONTRACT } from '../../simulator/support/recurrences.ts'
import { bcbErrorReply, okReply, REFERENCE } from '../support/efi-fixture.ts'
import { openInterFixture } from '../support/inter-fixture.ts'
import {
  cobrOf,
  consentRequest,
  debitOrder,
  describeRecurrences,
  RAIL_ID,
  recOf,
  recurrenceOrder,
} from '../support/recurrences.ts'

const TOKEN = '/oauth/v2/token'
const COBR = `/pix/v2/cobr/${REFERENCE}`
const OPERATIONS = {
  rec: ['POST', '/rec'],
  solicrec: ['POST', '/solicrec'],
  cobr: ['PUT', `/cobr/${REFERENCE}`],
} as const

describeRecurrences({
  name: 'Inter',
  open: openInterFixture,
  path: '/pix/v2',
  absent: bcbErrorReply(404, 'NaoEncontrado'),
  receiver: { agencia: '0001', conta: '13525622', tipoConta: 'CORRENTE' },
  findViolations(call, body) {
    const [method, path] = OPERATIONS[call]
    return BACEN_CONTRACT.validateRequest({ method, path, body })
  },
})

test('a request for consent may lack the branch of the payer', async () => {
  await using story = await openInterFixture()
  story.scripted.scriptReplies('POST /pix/v2/solicrec', okReply({ idRec: RAIL_ID }, 201))
  const { agency: _, ...payerAccount } = consentRequest.payerAccount
  expect(await story.provider.requestConsent!({ ...consentRequest, payerAccount })).toEqual({
    kind: 'requested',
  })
})

test('the scopes of recurrences are requested for those only, in a token of their own', async () => {
  await using story = await openInterFixture()
  story.scripted.scriptReplies(`GET /pix/v2/cob/${REFERENCE}`, bcbErrorReply(404, 'NaoEncontrado'))
  story.scripted.scriptReplies(`GET ${COBR}`, okReply(cobrOf()))
  await story.provider.findCharge(REFERENCE)
  await story.provider.findCharge(REFERENCE, { isDue: false, isDebit: true })
  const scopes = story.scripted.seen
    .filter(({ path }) => path === TOKEN)
    .map(({ body }) => new URLSearchParams(body).get('scope')!.split(' '))
  expect(scopes).toEqual([
    expect.not.arrayContaining(['cobr.read']),
    expect.arrayContaining([
      'rec.write',
      'rec.read',
      'solicrec.write',
      'cobr.write',
      'cobr.read',
      'payloadlocationrec.write',
      'webhookrec.write',
      'webhookcobr.write',
    ]),
  ])
  expect(scopes[1]).toHaveLength(10)
})

test('a refusal of their scopes is a refusal by this bank, which operates everything else', async () => {
  let now = 0
  await using story = await openInterFixture({ now: () => now })
  story.scripted.scriptReplies(`POST ${TOKEN}`, { status: 400, json: { error: 'invalid_scope' } })
  const denied = { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' }
  expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject(denied)
  expect(await story.provider.createRecurrence!({ ...recurrenceOrder, journey: 'QR' })).toMatchObject(denied)
  expect(await story.provider.requestConsent!(consentRequest)).toMatchObject(denied)
  expect(await story.provider.issueCharge(debitOrder)).toMatchObject(denied)
  const unanswered = { kind: 'no_answer', code: 'provider_denied' }
  expect(await story.provider.cancelRecurrence!({ railId: RAIL_ID, reference: REFERENCE })).toMatchObject(
    unanswered,
  )
  expect(await story.provider.reviseCharge!({ reference: REFERENCE, retryOn: '2026-02-07' })).toMatchObject(
    unanswered,
  )
  expect(story.scripted.countTokenRequests()).toBe(1)
  now += 15 * 60_000
  story.scripted.scriptReplies(`POST ${TOKEN}`, okReply({ access_token: 't', expires_in: 3600 }))
  story.scripted.scriptReplies('POST /pix/v2/rec', okReply(recOf(), 201))
  expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({ kind: 'accepted' })
})
