import { expect, test } from '@jest/globals'
import { okReply, openWooviFixture, wooviErrorReply } from '../support/woovi-fixture.ts'

/** Woovi Developers, "Verificação de Chave Pix" and "Token Bucket". */

const CHECK = 'POST /api/v1/pix-keys/check'
const TOKENS = 'GET /api/v1/pix-keys/tokens'
const MAIL = 'maria@example.com'
const END_TO_END = 'E54811417202611291200abcdefghijk'
const owner = {
  name: 'Maria Souza',
  taxID: '529.***.***-25',
  psp: '09089356',
  branch: '****',
  account: '********1',
}
const found = { pixKeyEndToEndId: END_TO_END, pixKey: MAIL, type: 'EMAIL', owner }

test('a look-up has the key in no URL, and names owner and end-to-end id', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(CHECK, okReply(found))
  expect(await story.provider.lookUpKey!(MAIL)).toEqual({
    kind: 'found',
    endToEnd: END_TO_END,
    owner: expect.objectContaining({
      name: 'Maria Souza',
      document: expect.stringContaining('529'),
      bank: expect.objectContaining({ ispb: '09089356' }),
    }),
  })
  const [call] = story.scripted.calls()
  expect([call!.path, JSON.parse(call!.body)]).toEqual(['/api/v1/pix-keys/check', { pixKey: MAIL }])
})

test.each([
  ['another key', { ...found, pixKey: 'joao@example.com' }],
  ['no owner', { ...found, owner: null }],
  ['no name', { ...found, owner: { ...owner, name: '' } }],
  ['no document', { ...found, owner: { ...owner, taxID: null } }],
])('a success with %s is no answer', async (_name, body) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(CHECK, okReply(body))
  expect(await story.provider.lookUpKey!(MAIL)).toMatchObject({ kind: 'no_answer' })
})

test.each([
  ['Pix key does not exist', 404, { kind: 'not_found' }],
  [
    'Pix key related to an account suspected of fraud',
    400,
    { kind: 'refused', code: 'key_blocked_for_fraud' },
  ],
  ['Error verifying pix key', 400, { kind: 'no_answer' }],
  ['Pix key does not exist', 400, { kind: 'no_answer' }],
  ['You tried to consult many Pix keys that do not exist.', 429, { kind: 'no_answer', code: 'rate_limited' }],
])('"%s" with %i is %o', async (sentence, status, outcome) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(CHECK, wooviErrorReply(sentence, { status }))
  expect(await story.provider.lookUpKey!(MAIL)).toMatchObject(outcome)
})

test.each([
  ['an unlisted sentence', wooviErrorReply(`The key ${MAIL} of Maria Souza, 529.***.***-25, is odd`)],
  ['an unreadable success', okReply({ ...found, owner: { ...owner, psp: { ispb: MAIL }, name: 7 } })],
  ['no JSON', { status: 200, text: `<p>${MAIL}, Maria Souza` }],
])('%s puts neither the key nor its owner into the outcome', async (_name, reply) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(CHECK, reply)
  const outcome = await story.provider.lookUpKey!(MAIL)
  expect(outcome.kind).toBe('no_answer')
  expect(JSON.stringify(outcome)).not.toMatch(/maria|Souza|529/)
})

test('the bucket is read as Woovi reports it, and never above its capacity', async () => {
  await using story = await openWooviFixture()
  const tokens = { tokens: 481, maxTokens: 500, refreshRate: 20, nextRefresh: '2026-11-29T12:00:00Z' }
  story.scripted.scriptReplies(
    TOKENS,
    okReply(tokens),
    okReply({ ...tokens, tokens: 900 }),
    okReply({ tokens: 1 }),
  )
  const budget = { capacity: 500, left: 481, refillPerMinute: 20 }
  expect(await story.provider.findLookUpBudget!()).toEqual({ kind: 'found', budget })
  expect(await story.provider.findLookUpBudget!()).toMatchObject({ budget: { left: 500 } })
  expect(await story.provider.findLookUpBudget!()).toMatchObject({ kind: 'no_answer' })
})
