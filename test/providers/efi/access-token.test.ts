import { expect, test } from '@jest/globals'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { cobOf, END_TO_END, NOW, okReply, openEfiFixture, REFERENCE } from '../support/efi-fixture.ts'
import type { ScriptedReply } from '../support/scripted-provider.ts'

const GET = `GET /v2/cob/${REFERENCE}`
const PUT = `PUT /v2/cob/${REFERENCE}`
const TOKEN = 'POST /oauth/token'
const order = { reference: REFERENCE, totalCents: 1234, expiresInSeconds: 3600, collectionKey: 'k' }
const refusal = { status: 401, json: { error: 'invalid_token', error_description: 'expired' } }

test('one token serves all calls, concurrent ones included, until nine tenths of its validity are over', async () => {
  let now = NOW
  await using story = await openEfiFixture({ now: () => now })
  story.scripted.scriptReplies(GET, okReply(cobOf()))
  await Promise.all(Array.from({ length: 10 }, () => story.provider.findCharge(REFERENCE)))
  now += 3_239_000
  await story.provider.findCharge(REFERENCE)
  expect(story.scripted.countTokenRequests()).toBe(1)
  now += 2_000
  await story.provider.findCharge(REFERENCE)
  expect(story.scripted.countTokenRequests()).toBe(2)

  const [request] = story.scripted.seen
  expect(request).toMatchObject({
    path: '/oauth/token',
    body: '{"grant_type":"client_credentials"}',
    headers: { authorization: `Basic ${Buffer.from('id:hush').toString('base64')}` },
  })
})

test('a refused token is dropped, and the call is repeated once with a new one', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, refusal, okReply(cobOf()))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found' })
  expect(story.scripted.calls().map(({ headers }) => headers.authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-2',
  ])
  await story.provider.findCharge(REFERENCE)
  expect(story.scripted.countTokenRequests()).toBe(2)
})

test('many concurrently refused calls request one new token', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(GET, refusal, refusal, refusal, okReply(cobOf()))
  await Promise.all(Array.from({ length: 3 }, () => story.provider.findCharge(REFERENCE)))
  expect(story.scripted.countTokenRequests()).toBe(2)
})

test('a token refused twice is a refusal, without a third call', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(PUT, refusal)
  expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'rejected', code: 'provider_denied' })
  expect(story.scripted.calls()).toHaveLength(2)
})

const transfer = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: 'k',
}
const SEND = 'PUT /v3/gn/pix/transfer1'
const refund = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const RETURN = `PUT /v2/pix/${END_TO_END}/devolucao/refund1`

test('a refused token does not prove that money did not move: without a repeat the outcome is unknown', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(TOKEN, okReply({ access_token: 't', expires_in: 3600 }), { status: 503 })
  story.scripted.scriptReplies(SEND, refusal)
  story.scripted.scriptReplies(RETURN, refusal)
  expect(await story.provider.sendTransfer(transfer)).toMatchObject({ kind: 'unknown', code: 'no_token' })
  story.scripted.scriptReplies(TOKEN, okReply({ access_token: 't', expires_in: 3600 }), { status: 503 })
  expect(await story.provider.refund(refund)).toMatchObject({ kind: 'unknown', code: 'no_token' })
  expect(story.scripted.calls()).toHaveLength(2)
})

test('a refusal of the repeat counts only once the absence of the order is proved', async () => {
  await using story = await openEfiFixture()
  const blocked = { status: 400, json: { nome: 'documento_bloqueado', mensagem: 'x' } }
  story.scripted.scriptReplies(SEND, refusal, blocked)
  expect(await story.provider.sendTransfer(transfer)).toMatchObject({
    kind: 'unknown',
    code: 'provider_account_blocked',
    refusal: { code: 'provider_account_blocked', finality: 'other_may_help' },
  })
})

test.each<[string, ScriptedReply, string]>([
  ['refused', refusal, 'no_token'],
  ['500', { status: 500 }, 'no_token'],
  ['broken JSON', { status: 200, text: '{"access_' }, 'no_token'],
  ['no token inside', { status: 200, json: { expires_in: 3600 } }, 'no_token'],
  ['silence', 'hang', 'timeout'],
  ['a reset', 'reset', 'connection_reset'],
])(
  'no token (%s): the call is never sent, and the next one requests a token again',
  async (_name, reply, code) => {
    await using story = await openEfiFixture({ reply })
    story.scripted.scriptReplies(TOKEN, reply, okReply({ access_token: 't', expires_in: 3600 }))
    story.scripted.scriptReplies(PUT, okReply(cobOf(), 201))
    const outcome = await story.provider.issueCharge(order)
    expect(outcome).toMatchObject({ kind: 'unreachable', code })
    expect(JSON.stringify(outcome)).not.toContain('hush')
    expect(story.scripted.calls()).toEqual([])
    expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  },
)

test('without a token a lookup has no answer', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(TOKEN, { status: 503 })
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'no_answer', code: 'no_token' })
})
