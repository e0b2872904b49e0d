(function(PART){"use strict";(()=>{var t=(e,o)=>()=>{};PART=t;})();return PART})()
