// Packages that only define a queue for calls until the tool's script has loaded. No registry has these scripts.

export const clarity = async () => {
  const { default: Clarity } = await import("@microsoft/clarity");
  Clarity.init("project");
  return () => [...window.clarity.q].map((call) => [...call]);
};

export const hotjar = async () => {
  const { default: Hotjar } = await import("@hotjar/browser");
  Hotjar.init(1, 6);
  return () => [...window.hj.q].map((call) => [...call]);
};

export const fullstory = async () => {
  const { init } = await import("@fullstory/browser");
  init({ orgId: "o-1" });
  // The function by which the tool's script takes calls. The queue is emptied when the script cannot be loaded, as
  // here.
  const calls = [...window.FS.q];
  window.FS._api = (...call) => void calls.push(call);
  return () => calls;
};
