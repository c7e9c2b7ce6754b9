import { expect, test } from '@jest/globals'
import * as efiTypes from 'sdk-node-apis-efi'
import { createEfiAdapter } from '../../../src/providers/efi/adapter.ts'
import { bcbErrorReply, credentials, okReply, openEfiFixture } from '../support/efi-fixture.ts'
import {
  consentRequest,
  debitOrder,
  describeRecurrences,
  recOf,
  recurrenceOrder,
} from '../support/recurrences.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'

const RECEIVER = { agencia: '0001', conta: '13525622', tipoConta: 'PAGAMENTO' }

type Schema = { safeParse(value: unknown): { error?: { issues: unknown[] } } }
const schemas = efiTypes as unknown as Record<string, Schema | undefined>
const BODY_SCHEMAS = {
  rec: 'PixCreateRecurrenceAutomaticBodySchema',
  solicrec: 'PixCreateRequestRecurrenceAutomaticBodySchema',
  cobr: 'PixCreateAutomaticChargeTxidBodySchema',
}

describeRecurrences({
  name: 'Efí',
  open: openEfiFixture,
  path: '/v2',
  absent: bcbErrorReply(404, 'CobRNaoEncontrado'),
  receiver: RECEIVER,
  findViolations: (call, body) => schemas[BODY_SCHEMAS[call]]!.safeParse(body).error?.issues ?? [],
})

test('without the number of the account no recurrence and no debit is ordered', async () => {
  const { account_number: _, ...others } = credentials
  const paths: string[] = []
  const provider = createEfiAdapter({
    baseUrl: 'https://efi.test',
    credentials: others,
    timeoutMs: 1_000,
    openPool: options => {
      paths.push(String(options.origin))
      return createScriptedPool({ answer: { status: 500, body: '' } })(options)
    },
  })
  const missing = { kind: 'rejected', finality: 'other_may_help', code: 'receiver_account_missing' }
  expect(await provider.createRecurrence!(recurrenceOrder)).toMatchObject(missing)
  expect(await provider.issueCharge(debitOrder)).toMatchObject(missing)
  await provider.close()
})

test('a request for consent without the branch of the payer is not sent', async () => {
  await using story = await openEfiFixture()
  const { agency: _, ...payerAccount } = consentRequest.payerAccount
  expect(await story.provider.requestConsent!({ ...consentRequest, payerAccount })).toMatchObject({
    kind: 'rejected',
    code: 'provider_validation',
  })
  expect(story.scripted.seen).toEqual([])
})

test('a recurrence is not ordered again with a new token after the refusal of the first one', async () => {
  await using story = await openEfiFixture()
  story.scripted.scriptReplies(
    'POST /v2/rec',
    okReply({ error: 'invalid_token' }, 401),
    okReply(recOf(), 201),
  )
  expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({
    kind: 'unknown',
    code: 'http_401',
  })
  expect(story.scripted.calls()).toHaveLength(1)
  expect(await story.provider.createRecurrence!(recurrenceOrder)).toMatchObject({ kind: 'accepted' })
  expect(story.scripted.countTokenRequests()).toBe(2)
})
