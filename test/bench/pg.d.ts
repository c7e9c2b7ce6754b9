/** As much of it as the bare handler needs; it comes with MikroORM, without types. */
declare module 'pg' {
  export class Pool {
    constructor(options: { connectionString: string; max: number })
    query(statement: string): Promise<{ rows: unknown[] }>
  }
}
