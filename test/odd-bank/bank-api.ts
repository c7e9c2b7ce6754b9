import type { Books } from './books.ts'

/** An answer of a bank over HTTP, or one of the ways to give none. */
export type BankReply =
  | { status: number; json?: unknown; text?: string; headers?: Record<string, string> }
  | 'hang'
  | 'reset'

export type BankRequest = {
  method: string
  path: string
  query: URLSearchParams
  // biome-ignore lint/suspicious/noExplicitAny: what a customer sends, in the shape of the published API.
  body: any
}

/** One published call of a bank: its name here, and what an honest bank does and answers. */
export type BankCall<Operation extends string> = {
  operation: Operation
  method: string
  path: RegExp
  /** A parameter that the query must have. */
  parameter?: string
  answer(books: Books, request: BankRequest, parts: string[]): BankReply
}

/** How a bank notifies its customer of a PIX: by the last part of the URL, a body, and headers. */
export type BankNotification = { path: string; body: string; headers: Record<string, string> }

/** Describes one published call. */
export const call = <Operation extends string>(
  operation: Operation,
  method: string,
  path: RegExp,
  answer: BankCall<Operation>['answer'],
): BankCall<Operation> => ({ operation, method, path, answer })

export const ok = (json: unknown, status = 200) => ({ status, json })

/** The items of a list whose time is within the requested period. */
export function withinPeriod<Item>(
  items: Iterable<Item>,
  timeOf: (item: Item) => string,
  [from, to]: [string | null, string | null],
): Item[] {
  const isWithin = (at: number) => (!from || at >= Date.parse(from)) && (!to || at <= Date.parse(to))
  return [...items].filter(item => isWithin(Date.parse(timeOf(item))))
}
