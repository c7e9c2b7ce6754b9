import { z } from 'zod'
import { checkClientCertificate } from '../adapter/client-certificate.ts'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import {
  BACEN_CREDENTIAL_FIELDS,
  BACEN_DUE_SCOPES,
  BACEN_RECURRENCE_SCOPES,
  createAccountNumberSchema,
  createBacenClient,
} from '../bacen/client.ts'
import { toMotivoRejection } from '../bacen/errors.ts'
import { type InterCall, interAnswers } from './answers.ts'
import { readInterError } from './errors.ts'

/** Credentials of one connection to Inter: each call names its account in the header `x-conta-corrente`. */
export const interCredentialsSchema = z
  .object({
    ...BACEN_CREDENTIAL_FIELDS,
    client_secret: z.string().min(1),
    account_number: createAccountNumberSchema(20),
  })
  .superRefine(checkClientCertificate)
export type InterCredentials = z.infer<typeof interCredentialsSchema>

/** Scopes that the application of the credentials needs, without those of charges with a due date and of recurrences; docs/providers/inter.md has what each is for. */
export const INTER_SCOPES = [
  'cob.write',
  'cob.read',
  'pix.write',
  'pix.read',
  'webhook.write',
  'webhook.read',
  'pagamento-pix.write',
  'pagamento-pix.read',
  'extrato.read',
  'webhook-banking.write',
  'webhook-banking.read',
]

/** Path of Inter's own API below the base URL of a connection. */
export const INTER_BANKING_PATH = '/banking/v2'

/** Creates the client of Inter's APIs: the Central Bank's Pix API and its own, Banking. */
export function createInterClient(options: AdapterOptions<InterCredentials>) {
  const { client_id, client_secret, account_number } = options.credentials
  const buildTokenRequest = (scopes: readonly string[]) => ({
    path: '/oauth/v2/token',
    urlEncoded: { client_id, client_secret, grant_type: 'client_credentials', scope: scopes.join(' ') },
  })
  return createBacenClient<InterCall>(options, {
    bank: 'Inter',
    basePath: '/pix/v2',
    answers: interAnswers,
    readError: readInterError,
    tokenRequest: buildTokenRequest(INTER_SCOPES),
    dueTokenRequest: buildTokenRequest(BACEN_DUE_SCOPES),
    recurrenceTokenRequest: buildTokenRequest(BACEN_RECURRENCE_SCOPES),
    headers: { 'x-conta-corrente': account_number },
    hasLocationCodes: false,
    toRejection: toMotivoRejection,
  })
}
export type InterClient = ReturnType<typeof createInterClient>
