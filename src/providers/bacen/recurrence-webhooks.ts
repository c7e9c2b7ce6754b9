import type { BacenRecurrenceClient } from './client.ts'
import { createWebhookCalls, isUrlOfOurs } from './webhook.ts'

/** Paths of the URLs of notifications about recurrences and about their debits, of which an account has one each. */
const PATHS = ['/webhookrec', '/webhookcobr']

/** Creates the registration of the URLs of notifications about recurrences and their debits. */
export function createRecurrenceWebhooks(
  client: BacenRecurrenceClient,
  secret: string,
  headers: Record<string, string> = {},
) {
  const calls = { find: 'findRecurrenceUrl', register: 'registerRecurrenceUrl' } as const
  const { findUrl, registerUrl } = createWebhookCalls(client, calls, secret, headers)

  /** Registers the URL at one path, unless another system is notified there; returns why not, or null. */
  async function registerAt(path: string, url: string): Promise<string | null> {
    const current = await findUrl(path)
    if (current.kind === 'no_answer') return current.message
    if (current.url !== null && !isUrlOfOurs(current.url)) return ANOTHER_SYSTEM
    const outcome = await registerUrl(path, url)
    return outcome.kind === 'no_answer' ? outcome.message : null
  }

  return {
    /**
     * Registers the URL for both. May be repeated. Returns a warning where one is not registered: recurrences are polled all the same, and
     * an account without Pix Automático is connected for everything else.
     */
    async registerUrls(url: string): Promise<{ warning?: string }> {
      for (const path of PATHS) {
        const reason = await registerAt(client.basePath + path, url)
        if (reason !== null) return { warning: `${client.bank} ${NOT_REGISTERED_WARNING} (${reason})` }
      }
      return {}
    },
  }
}

const NOT_REGISTERED_WARNING =
  'does not notify recurrences (Pix Automático) and their charges: they are polled only, and where the scopes for them are missing none can be created'
const ANOTHER_SYSTEM = 'another system has registered a URL for them, which is not replaced'
