/** What a process of the baseline receives from the benchmark. */
export type BaselineOptions = {
  databaseUrl: string
  port: number
  provider: { baseUrl: string; ca: string; collectionKey: string; credentials: Record<string, string> }
}

/** Waits for the options, starts, and reports it; ends with the benchmark. */
export function startWithOptions(start: (options: BaselineOptions) => Promise<void>): void {
  process.once('disconnect', () => process.exit(0))
  process.once('message', async (options: BaselineOptions) => {
    await start(options)
    process.send?.('ready')
  })
}
