import { z } from 'zod'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { createBacenClient } from '../bacen/client.ts'
import { readBacenProblem, toMotivoRejection } from '../bacen/errors.ts'
import { type SicoobCall, sicoobAnswers } from './answers.ts'

/** Credentials of one connection to Sicoob; certificate and key are PEM texts, both present or both absent (a simulator). */
export const sicoobCredentialsSchema = z
  .object({
    client_id: z.string().min(1),
    certificate: z.string().startsWith('-----BEGIN ').optional(),
    private_key: z.string().startsWith('-----BEGIN ').optional(),
    /** Number of the account, without the branch: its balance is asked for by it. */
    account_number: z.string().regex(/^\d{1,20}$/, 'must be digits only'),
    /** Last part of the URL that receives Sicoob's notifications. */
    notification_secret: z.string().min(1),
  })
  .refine(({ certificate, private_key }) => !certificate === !private_key, {
    message: 'certificate and private_key must both be given, or neither',
  })
export type SicoobCredentials = z.infer<typeof sicoobCredentialsSchema>

/** Scopes that the application of the credentials needs; docs/providers/sicoob.md has what each is for. */
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

/** Creates the client of Sicoob's APIs: the Central Bank's, its payments and its accounts, with one access token. */
export function createSicoobClient(options: AdapterOptions<SicoobCredentials>) {
  const { client_id } = options.credentials
  return createBacenClient<SicoobCall>(options, {
    bank: 'Sicoob',
    basePath: '/pix/api/v2',
    answers: sicoobAnswers,
    readError: readBacenProblem,
    tokenRequest: {
      path: '/auth/realms/cooperado/protocol/openid-connect/token',
      urlEncoded: { grant_type: 'client_credentials', client_id, scope: SICOOB_SCOPES.join(' ') },
    },
    headers: { client_id },
    hasLocationCodes: false,
    toRejection: toMotivoRejection,
  })
}
export type SicoobClient = ReturnType<typeof createSicoobClient>
