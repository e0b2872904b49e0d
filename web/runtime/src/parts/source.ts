export { sourceOf as default } from "../assign/source";
