/** A text for one address. `id` is the same for every try, so that a carrier can recognize a repeat. */
export type OutboundMessage = { id: string; to: string; subject: string; text: string }

/** Outcome of sending: `kept` in the local outbox instead of being sent; `again` may succeed later, `refused` never. */
export type SendMessageOutcome =
  | { kind: 'sent' }
  | { kind: 'kept' }
  | { kind: 'refused'; code: string }
  | { kind: 'again'; code: string }

/**
 * Sends messages over one channel. A messenger never throws for errors of a carrier or the network, and its codes,
 * which are logged, never quote an address or a text.
 */
export type Messenger = { send(message: OutboundMessage): Promise<SendMessageOutcome>; close(): void }
