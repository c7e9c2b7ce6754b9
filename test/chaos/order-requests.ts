import {
  type ApiRequest,
  getUntilAnswered,
  postUntilAnswered,
  type RequestRecord,
} from './merchant-requests.ts'
import type { BatchRecipient, TransferRecipient } from './operations.ts'
import { recipientConnectionOf } from './participants.ts'
import type { StormContext } from './storm-context.ts'

/** The holder of every account that a storm pays; all providers pay its type. */
const ACCOUNT_RECEIVER = {
  name: 'Maria Silva',
  document: '52998224725',
  bank_code: '260',
  agency: '0001',
  account_type: 'CHECKING',
}

/** Whom an item of a batch pays, as its body names it. */
export type ItemDestination =
  | { pix_key: string }
  | { receiver: typeof ACCOUNT_RECEIVER & { account: string } }

/** What orders of a storm share: whom they pay, and how their requests are sent and read. */
export function createOrderRequests({ site, cast }: Pick<StormContext, 'site' | 'cast'>) {
  const { nextApiUrl: api } = site

  return { buildDestination, buildItemDestination, postConcurrently, readUnconfirmed }

  function buildDestination(to: TransferRecipient, merchant: number): ItemDestination | { payload: string } {
    return to.kind === 'code'
      ? { payload: cast.foreignCodes.get(to.name)! }
      : buildItemDestination(to, merchant)
  }

  function buildItemDestination(to: BatchRecipient, merchant: number): ItemDestination {
    switch (to.kind) {
      case 'key':
        return { pix_key: to.key }
      case 'account':
        return { receiver: { ...ACCOUNT_RECEIVER, account: to.number } }
      case 'merchant': {
        const recipient = recipientConnectionOf(cast, cast.merchants[merchant]!, to.merchant)
        return { pix_key: recipient.collectionKey }
      }
    }
  }

  /** Sends a request so many times at once, each until it is answered. */
  async function postConcurrently(mine: RequestRecord, request: ApiRequest, times: number): Promise<void> {
    await Promise.all(Array.from({ length: times }, () => postUntilAnswered(api, mine, request)))
  }

  /** A caller without a key reads whether the operation exists before it sends another request. */
  async function readUnconfirmed(
    mine: RequestRecord,
    { token, path }: { token: string; path: string },
  ): Promise<void> {
    if (mine.key !== null) return
    for (const { code, uuid } of mine.answers) {
      if (code !== 'not_confirmed' || uuid === null) continue
      const said = await getUntilAnswered(api, { path: `${path}/${uuid}`, token })
      if (said?.status === 404) mine.absent.push(uuid)
    }
  }
}
