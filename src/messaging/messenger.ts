/** A text for one address. `id` is the same at every try, so that a carrier can tell a repeat. */
export type OutboundMessage = { id: string; to: string; subject: string; text: string }

/** What became of it: `kept` here instead of being sent; `again` may succeed later, `refused` never. */
export type SendMessageOutcome =
  | { kind: 'sent' }
  | { kind: 'kept' }
  | { kind: 'refused'; code: string }
  | { kind: 'again'; code: string }

/**
 * One way to reach people. Messengers never throw for what a carrier or the network does, and their codes never quote
 * an address or a text: they are logged.
 */
export type Messenger = { send(message: OutboundMessage): Promise<SendMessageOutcome>; close(): void }
