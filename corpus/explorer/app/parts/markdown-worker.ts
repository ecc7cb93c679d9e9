/** Answers each text with its HTML. The first message states that it is ready. */
import { markdownHtml } from './markdown-html.ts'

self.onmessage = ({ data }: MessageEvent<string>) => postMessage(markdownHtml(data))
postMessage('ready')
