import { now } from "../world";

let calls = 0;
let taskStart = 0;

let channel: MessageChannel | undefined;
const Channel = MessageChannel;

/** The port for a message that arrives when the task is over. */
function taskEndPort(): MessagePort {
  if (!channel) {
    channel = new Channel();
    channel.port1.onmessage = () => {
      calls = 0;
    };
  }
  return channel.port2;
}

/**
 * Called by the code of experiments in each iteration of a loop.
 *
 * Throws once a task has run for half a second since its first call, so that an endless loop does not block the page. Reads the clock every
 * 256 calls. A message resets the count when the task is over, as timers are slow in hidden pages.
 */
export function checkLoop(): void {
  if (!calls++) {
    taskStart = now();
    taskEndPort().postMessage(0);
  } else if (!(calls % 256) && now() - taskStart > 500) {
    calls--;
    throw Error("loop");
  }
}
