import type { Plugin } from 'vite'

export function buildSimulator(options?: { readonly outDir?: string; readonly plugins?: Plugin[] }): Promise<string>
