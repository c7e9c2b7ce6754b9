import { z } from 'zod'
import { checkClientCertificate } from '../adapter/client-certificate.ts'
import { parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import type { AdapterOptions } from '../adapter/provider-calls.ts'
import { BACEN_CREDENTIAL_FIELDS, createAccountNumberSchema, createBacenClient } from '../bacen/client.ts'
import { type EfiCall, efiAnswers, TOKEN_REFUSED } from './answers.ts'
import { readEfiError, toEfiRejection } from './errors.ts'

/** Credentials of one connection to Efí. */
export const efiCredentialsSchema = z
  .object({
    ...BACEN_CREDENTIAL_FIELDS,
    client_secret: z.string().min(1),
    /** Of the account that the debits of recurrences are paid to; without it none can be made. No call of Efí names it. */
    account_number: createAccountNumberSchema(20).optional(),
  })
  .superRefine(checkClientCertificate)
export type EfiCredentials = z.infer<typeof efiCredentialsSchema>

/** Scopes that the application of the credentials needs ("Escopos"); docs/providers/efi.md has what each is for. */
export const EFI_SCOPES = [
  'cob.write',
  'cob.read',
  'pix.write',
  'pix.read',
  'pix.send',
  'gn.pix.send.read',
  'gn.qrcodes.pay',
  'webhook.write',
  'webhook.read',
  'gn.pix.evp.write',
  'gn.pix.evp.read',
  'gn.receipts.read',
  'gn.balance.read',
  'gn.infractions.read',
  'gn.infractions.write',
  'gn.settings.read',
  'gn.settings.write',
]

/** Creates the client of Efí's API, a profile of the Central Bank's with calls of its own below `/v2/gn` and `/v3/gn`. */
export function createEfiClient(options: AdapterOptions<EfiCredentials>) {
  const { client_id, client_secret } = options.credentials
  const basicCredentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  const client = createBacenClient<EfiCall>(options, {
    bank: 'Efí',
    basePath: '/v2',
    answers: efiAnswers,
    readError: readEfiError,
    tokenRequest: {
      path: '/oauth/token',
      headers: { authorization: `Basic ${basicCredentials}` },
      json: { grant_type: 'client_credentials' },
    },
    isTokenRefused: response => readEfiError(response)?.name === TOKEN_REFUSED,
    hasLocationCodes: true,
    toRejection: ({ gnExtras, motivo }) => toEfiRejection(gnExtras?.erro, motivo),
  })
  /** Finds Efí's code of the account in the access token; undefined where the token has none. */
  async function findAccountCode(): Promise<string | undefined> {
    const token = await client.getToken()
    return token.kind === 'token' ? readAccountCode(token.text) : undefined
  }
  return { ...client, findAccountCode }
}
export type EfiClient = ReturnType<typeof createEfiClient>

/**
 * Reads Efí's code of the account from an access token. Efí's tokens are JWTs with `account_code`, in what its users
 * publish, and no document describes them, so any other token has none.
 */
function readAccountCode(token: string): string | undefined {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  return tokenPayloadSchema.safeParse(parseJsonOrUndefined(payload)).data?.account_code
}

const tokenPayloadSchema = z.object({ account_code: z.string().min(1) })
