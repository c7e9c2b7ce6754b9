import { Type } from '@mikro-orm/core'

/** One entry of a resource's history, as the API shows it. */
export type HistoryEntry<Status extends string> = { status: Status; created_at: string }

/** Column of a resource's history: a line per entry, its status and its time, in less than half the bytes of JSON. */
export class HistoryType<Status extends string> extends Type<HistoryEntry<Status>[], string> {
  override convertToDatabaseValue(entries: HistoryEntry<Status>[]): string {
    return entries.map(({ status, created_at }) => `${status} ${created_at}`).join('\n')
  }

  override convertToJSValue(column: string): HistoryEntry<Status>[] {
    if (column === '') return []
    return column.split('\n').map(line => {
      const [status, created_at] = line.split(' ') as [Status, string]
      return { status, created_at }
    })
  }

  override compareAsType(): string {
    return 'string'
  }

  override getColumnType(): string {
    return 'text'
  }
}
