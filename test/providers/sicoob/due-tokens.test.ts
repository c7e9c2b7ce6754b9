import { expect, test } from '@jest/globals'
import { cobvOf, dueOrder } from '../support/due-charges.ts'
import { COB, cobOf, okReply, openSicoobFixture, REFERENCE, TOKEN } from '../support/sicoob-fixture.ts'

const COBV = `/pix/api/v2/cobv/${REFERENCE}`
const IS_DUE = { isDue: true }
const scopesOf = (story: Awaited<ReturnType<typeof openSicoobFixture>>) =>
  story.scripted.seen
    .filter(({ path }) => path === TOKEN)
    .map(({ body }) => new URLSearchParams(body).get('scope'))

test('the scopes of charges with a due date are requested for those only, in a token of their own', async () => {
  await using story = await openSicoobFixture()
  story.scripted.scriptReplies(`GET ${COB}`, okReply(cobOf()))
  story.scripted.scriptReplies(`GET ${COBV}`, okReply(cobvOf()))
  await story.provider.findCharge(REFERENCE)
  expect(scopesOf(story)).toEqual([expect.not.stringContaining('cobv')])
  await story.provider.findCharge(REFERENCE, IS_DUE)
  await story.provider.findCharge(REFERENCE, IS_DUE)
  await story.provider.findCharge(REFERENCE)
  expect(scopesOf(story)).toEqual([expect.not.stringContaining('cobv'), 'cobv.write cobv.read'])
  const tokens = story.scripted.calls().map(({ headers }) => headers.authorization)
  expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2', 'Bearer token-1'])
})

test('a refusal of their scopes is a refusal by this provider, and is remembered for a quarter of an hour', async () => {
  let now = 0
  await using story = await openSicoobFixture({ now: () => now })
  const refusal = { status: 400, json: { error: 'invalid_scope' } }
  story.scripted.scriptReplies(`POST ${TOKEN}`, refusal)
  const issue = () => story.provider.issueCharge(dueOrder)
  const denied = { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' }
  expect(await issue()).toMatchObject(denied)
  now += 14 * 60_000
  expect(await issue()).toMatchObject(denied)
  expect(await story.provider.findCharge(REFERENCE, IS_DUE)).toMatchObject({
    kind: 'no_answer',
    code: 'provider_denied',
    isUnprocessed: true,
  })
  expect(await story.provider.reviseCharge!({ reference: REFERENCE, totalCents: 1 })).toMatchObject({
    kind: 'no_answer',
    code: 'provider_denied',
  })
  expect(story.scripted.countTokenRequests()).toBe(1)
  now += 60_000
  expect(await issue()).toMatchObject(denied)
  expect(story.scripted.countTokenRequests()).toBe(2)
  expect(story.scripted.calls()).toEqual([])
})

test('a token that nobody gives is no refusal: the provider is not reached', async () => {
  await using story = await openSicoobFixture()
  story.scripted.scriptReplies(`POST ${TOKEN}`, { status: 503, text: '' })
  expect(await story.provider.issueCharge(dueOrder)).toMatchObject({ kind: 'unreachable', code: 'no_token' })
})
