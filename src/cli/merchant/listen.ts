import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import { isUsableSigningSecret } from '../../webhook-client/signature.ts'
import { ApiCallError, type ApiClient, type ApiOptions, addApiOptions, openApiClient } from './api-client.ts'
import { EventFeed } from './event-feed.ts'
import { EventForwarder } from './event-forwarder.ts'
import { printText } from './print-text.ts'

type ListenOptions = ApiOptions & { forwardTo: string; events?: string[]; secret?: string }

/** How often the list of events is read. */
const POLL_MS = 1_000

/** Registers `listen`, which forwards the events of an account to a receiver on this machine. */
export function registerListenCommand(program: Command): void {
  const command = program
    .command('listen')
    .description("forward the account's events, as they happen, to a local receiver as signed deliveries")
    .requiredOption('--forward-to <url>', 'address of the receiver', parseReceiverUrl)
    .option('--events <types>', `only these, separated by commas: ${EVENT_TYPES.join(', ')}`, parseTypes)
    .addOption(
      new Option('--secret <secret>', 'signing secret; where absent, one that belongs to the token')
        .env('TRILHO_WEBHOOK_SECRET')
        .argParser(parseSecret),
    )
    .addHelpText(
      'after',
      `
The API and the token are those of the npm start of this folder, unless options or variables name others.
An answer of the receiver is final. A receiver that cannot be reached is tried again for five minutes; later events wait.

  npm run trilho -- listen --forward-to http://localhost:4242/hooks --events PAYMENT,TRANSFER`,
    )
    .action(listen)
  addApiOptions(command)
}

async function listen({ forwardTo, events = [], secret, ...options }: ListenOptions): Promise<void> {
  const api = await openApiClient(options)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const signing = secret ?? deriveSigningSecret(api.token)
  const forwarder = new EventForwarder({
    ...{ url: forwardTo, secret: signing, print: printTimed, signal: stopping.signal },
  })
  const feed = new EventFeed(api, { types: events })
  await feed.begin()
  printText(`Forwarding ${events.join(', ') || 'all events'} of ${api.url} to ${forwardTo}`)
  printText(`Signing secret: ${signing}`)
  printText('Ready. Ctrl-C ends it.')
  while (!stopping.signal.aborted) {
    for (const event of await readNewEvents(feed)) await forwarder.forward(event)
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
  const { delivered, failed } = forwarder.counts
  printText(`Ended: ${delivered} delivered, ${failed} not accepted.`)
}

/** Reads new events; none while the API cannot be reached or is overloaded. Fails where the token is refused. */
async function readNewEvents(feed: EventFeed) {
  try {
    return await feed.readNew()
  } catch (error) {
    const isFinal = error instanceof ApiCallError && !error.isTemporary
    if (isFinal) throw error
    printTimed(
      `The API cannot be reached, and is tried again: ${error instanceof Error ? error.message : error}`,
    )
    return []
  }
}

/** Derives the signing secret of a token: the same at every start, and no one can compute the token from it. */
function deriveSigningSecret(token: ApiClient['token']): string {
  return `whsec_${createHmac('sha256', token).update('trilho listen').digest('base64')}`
}

function printTimed(line: string): void {
  printText(`${new Date().toTimeString().slice(0, 8)}  ${line}`)
}

function parseReceiverUrl(value: string): string {
  if (!URL.canParse(value) || !['http:', 'https:'].includes(new URL(value).protocol))
    throw new InvalidArgumentError('Not an http or https address.')
  return value
}

function parseTypes(value: string): string[] {
  const types = value.split(',').map(type => type.trim().toUpperCase())
  const unknown = types.filter(type => !EVENT_TYPES.some(known => known === type))
  if (unknown.length > 0) throw new InvalidArgumentError(`Not a type of event: ${unknown.join(', ')}.`)
  return types
}

function parseSecret(value: string): string {
  if (!isUsableSigningSecret(value)) throw new InvalidArgumentError('Not a signing secret.')
  return value
}
