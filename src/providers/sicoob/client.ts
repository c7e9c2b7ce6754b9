import { z } from 'zod'
import { checkClientCertificate } from '../adapter/client-certificate.ts'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import {
  BACEN_CREDENTIAL_FIELDS,
  BACEN_DUE_SCOPES,
  createAccountNumberSchema,
  createBacenClient,
} from '../bacen/client.ts'
import { readBacenProblem, toMotivoRejection } from '../bacen/errors.ts'
import { type SicoobCall, sicoobAnswers } from './answers.ts'

/** Credentials of one connection to Sicoob; `numeroContaCorrente` is a number of 64 bits. */
export const sicoobCredentialsSchema = z
  .object({ ...BACEN_CREDENTIAL_FIELDS, account_number: createAccountNumberSchema(18) })
  .superRefine(checkClientCertificate)
export type SicoobCredentials = z.infer<typeof sicoobCredentialsSchema>

/** Scopes that the application of the credentials needs, without those of charges with a due date; docs/providers/sicoob.md has what each is for. */
export const SICOOB_SCOPES = [
  'cob.read',
  'cob.write',
  'pix.read',
  'pix.write',
  'webhook.read',
  'webhook.write',
  'pixpagamentos_escrita',
  'pixpagamentos_consulta',
  'pixpagamentos_webhook',
  'cco_consulta',
]

/** Paths of Sicoob's other APIs below the base URL of a connection. */
export const SICOOB_PAYMENTS_PATH = '/pix-pagamentos/v2/pagamentos'
export const SICOOB_ACCOUNT_PATH = '/conta-corrente/v4'

/** Builds the base URL of access tokens: the API is on the host `api.` of a domain, its tokens on `auth.`; a simulator has one host. */
function buildTokenBaseUrl(baseUrl: string): string {
  return baseUrl.replace(/^https:\/\/api\./, 'https://auth.')
}

/** Creates the client of Sicoob's APIs: the Central Bank's, its payments and its accounts. */
export function createSicoobClient(options: AdapterOptions<SicoobCredentials>) {
  const { client_id } = options.credentials
  const buildTokenRequest = (scopes: readonly string[]) => ({
    path: '/auth/realms/cooperado/protocol/openid-connect/token',
    urlEncoded: { grant_type: 'client_credentials', client_id, scope: scopes.join(' ') },
  })
  return createBacenClient<SicoobCall>(options, {
    bank: 'Sicoob',
    basePath: '/pix/api/v2',
    answers: sicoobAnswers,
    readError: readBacenProblem,
    tokenBaseUrl: buildTokenBaseUrl(options.baseUrl),
    tokenRequest: buildTokenRequest(SICOOB_SCOPES),
    dueTokenRequest: buildTokenRequest(BACEN_DUE_SCOPES),
    headers: { client_id },
    hasLocationCodes: false,
    toRejection: toMotivoRejection,
  })
}
export type SicoobClient = ReturnType<typeof createSicoobClient>
