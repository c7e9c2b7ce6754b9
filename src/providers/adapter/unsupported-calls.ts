import type { DisputeCalls, PixKeyCalls } from '../port.ts'
import { rejectForThisProvider } from './outcomes.ts'

const keysUnsupported = rejectForThisProvider('key_unsupported', "The provider's API registers no PIX keys")
const noKeyList = {
  kind: 'no_answer',
  code: 'key_unsupported',
  message: "The provider's API lists no PIX keys",
} as const
const noDisputes = {
  kind: 'no_answer',
  code: 'dispute_unsupported',
  message: "The provider's API has no disputes",
} as const

/** Refusal of a PIX code of a kind that is not in `payableCodes` of the API; no request is made. */
export const codeUnsupported = rejectForThisProvider(
  'qr_code_unsupported',
  'The provider does not pay PIX codes of this kind',
)

/** The calls of APIs without PIX keys and disputes (`PROVIDER_CAPABILITIES`): they answer without a request. */
export const UNSUPPORTED_CALLS: PixKeyCalls & DisputeCalls = {
  createKey: async () => keysUnsupported,
  listKeys: async () => noKeyList,
  deleteKey: async () => keysUnsupported,
  listDisputes: async () => ({ kind: 'found', disputes: [] }),
  findDispute: async () => noDisputes,
  replyToDispute: async () => rejectForThisProvider('reply_refused', noDisputes.message),
}
