import { type RequestCodeBody, showRequestedCode } from '../../../contract/pix-keys/pix-key.ts'
import { AuthCode } from '../../../db/entities/pix-key.ts'
import { fail } from '../../../http/api-error.ts'
import { UNAVAILABLE_RETRY_S } from '../../../http/limits.ts'
import { canReachChannel, type MessengerSettings } from '../../../messaging/settings.ts'
import { startVerificationCodeWorkflow } from '../../../temporal/pix-keys.ts'
import type {
  VerificationCodeInput,
  VerificationCodeInputDetails,
} from '../../../workflows/contracts/pix-keys.ts'
import { type CreateDependencies, type CreateRequest, createOperation } from '../create-operation.ts'
import { requirePixKeyProvider } from './choose-provider.ts'

export const AUTH_CODES_PATH = '/api/v1/pix-keys/auth-code'

type RequestCodeDependencies = CreateDependencies & { config: { messengers: MessengerSettings } }

/** Sends a six-digit verification code to an address, or replays the response of the same Idempotency-Key (SPEC §9). */
export function requestAuthCode(
  { temporal: context, sealer, config }: RequestCodeDependencies,
  request: CreateRequest<RequestCodeBody>,
) {
  const { body, token, em } = request
  const { type } = body
  return createOperation(context, request, {
    kind: 'verification_code',
    path: AUTH_CODES_PATH,
    find: uuid => em.fork().findOne(AuthCode, uuid),
    async validate() {
      await requirePixKeyProvider(em, { token, providerUuid: body.provider_uuid, type })
      if (!canReachChannel(type, config.messengers))
        fail('code_undeliverable', { retryAfterS: UNAVAILABLE_RETRY_S })
    },
    start({ fingerprint, ...operation }, _, waitMs) {
      const details: VerificationCodeInputDetails = { address: body.key, fingerprint }
      const order: VerificationCodeInput = { ...operation, type, details: sealer.seal(details) }
      return startVerificationCodeWorkflow(context, order, waitMs)
    },
    present: (row, { headers }) => ({ body: showRequestedCode(row), headers }),
  })
}
