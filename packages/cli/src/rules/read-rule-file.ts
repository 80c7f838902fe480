/** A file with a rule set, checked before anything is sent. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { RuleSetRequest } from '@drover/client'
import { parseInput, ruleSetRequest } from '@drover/server/contract'
import { AppError, type RuleSet } from '@drover/server/core'
import { UsageError } from '../service/service-session.ts'

export interface RuleFile {
  readonly request: RuleSetRequest
  readonly rules: RuleSet
}

export async function readRuleFile(folder: string, name: string): Promise<RuleFile> {
  const text = await readFile(resolve(folder, name), 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read ${name}: ${error instanceof Error ? error.message : String(error)}`)
  })
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return { request: request as RuleSetRequest, rules: parseInput(ruleSetRequest, request) }
  } catch (error) {
    if (error instanceof AppError) throw new UsageError(`${name}: ${error.message}`)
    throw error
  }
}
