import { expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { efiErrorReply, okReply, openEfiFixture, UNEXPLAINED_REPLIES } from '../support/efi-fixture.ts'

const KEY = '345e4568-e89b-12d3-a456-006655440001'
const EVP = '/v2/gn/evp'
const random = { type: 'RANDOM', key: null } as const

test('a random key is created without a body', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(`POST ${EVP}`, okReply({ chave: KEY }, 201))
  expect(await story.provider.createKey(random)).toEqual({ kind: 'created', key: KEY })
  expect(story.scripted.calls()[0]?.body).toBe('')
})

test.each(['DOCUMENT', 'EMAIL', 'PHONE'] as const)('a %s key is not requested', async type => {
  await using story = await openEfiFixture()
  expect(await story.provider.createKey({ type, key: 'maria@example.com' })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'key_unsupported',
  })
  expect(story.scripted.seen).toEqual([])
  expect(PROVIDER_CAPABILITIES.efi.creatableKeyTypes).not.toContain(type)
})

test('too many keys are a refusal with its own name', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(`POST ${EVP}`, efiErrorReply(400, 'limite_criacao_chave_atingido'))
  expect(await story.provider.createKey(random)).toMatchObject({ kind: 'rejected', code: 'key_limit' })
})

test('the keys are listed as random ones', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(`GET ${EVP}`, okReply({ chaves: [KEY] }))
  expect(await story.provider.listKeys()).toEqual({ kind: 'found', keys: [{ key: KEY, type: 'RANDOM' }] })
})

test.each([
  ['an empty answer', { status: 200 }, { kind: 'deleted' }],
  ["Efí's sentence", { status: 200, text: 'Chave aleatória removida.' }, { kind: 'deleted' }],
  ['an unknown key', efiErrorReply(400, 'chave_nao_encontrada'), { kind: 'not_found' }],
])('a key is removed: %s', async (_name, reply, outcome) => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(`DELETE ${EVP}/${KEY}`, reply)
  expect(await story.provider.deleteKey(KEY)).toEqual(outcome)
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a key is requested: %s', async (_name, reply, outcome) => {
  await using story = await openEfiFixture({ reply })
  story.scripted.scriptReplies(`POST ${EVP}`, reply)
  story.scripted.scriptReplies(`GET ${EVP}`, reply)
  const answers = await Promise.all([story.provider.createKey(random), story.provider.listKeys()])
  expect(answers).toMatchObject([outcome, { kind: 'no_answer' }])
})
